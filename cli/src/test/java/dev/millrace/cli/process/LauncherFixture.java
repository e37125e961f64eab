package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.place.PlaceOpener;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;

/** Servers in processes of their own, which end with the test. */
abstract class LauncherFixture extends CommandFixture {
  private final List<LauncherProcess> processes = new ArrayList<>();

  @AfterEach
  void endProcesses() {
    processes.forEach(LauncherProcess::close);
  }

  /** Starts {@code millrace serve} on a workspace, without HTTP. */
  LauncherProcess launchServer(String workspace, List<String> options) {
    List<String> args = new ArrayList<>(List.of("serve", "--workspace", workspace, "--no-http"));
    args.addAll(options);
    return endWithTest(LauncherProcess.start(dir, args.toArray(String[]::new)));
  }

  LauncherProcess endWithTest(LauncherProcess process) {
    processes.add(process);
    return process;
  }

  /** Serves a workspace until nothing is left to do. */
  void drain(String workspace, String... options) {
    List<String> args = new ArrayList<>(List.of(options));
    args.add("--drain");
    InProcessCli.Result drained = launchServer(workspace, args).result();
    assertThat(drained.status()).as(drained.toString()).isZero();
  }

  /** What {@code serve --status} prints for "ws"; empty if there is no workspace yet. */
  String status() {
    return PlaceOpener.isWorkspace(ws) ? cli.run("serve", "-d", "ws", "--status").out() : "";
  }

  void awaitReady(LauncherProcess server) {
    soon().until(() -> status().contains("ready (pid " + server.pid() + ","));
  }

  static ConditionFactory soon() {
    return ServeProcess.soon();
  }

  /** Submits prompts that differ, each with a seed of its own. */
  List<String> submit(String workspace, int count, int tokens) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(
          cli.submit(
              workspace,
              "Write a story about a " + (i % 2 == 0 ? "cat" : "boat") + " and the number " + i,
              "--seed",
              Integer.toString(i),
              "-n",
              Integer.toString(tokens)));
    }
    return ids;
  }

  boolean allDone(String workspace, List<String> ids) {
    return ids.stream().allMatch(id -> Files.isDirectory(dir.resolve(workspace + "/output/" + id)));
  }

  void awaitDone(LauncherProcess server, String workspace, List<String> ids, Duration limit) {
    soon()
        .atMost(limit)
        .conditionEvaluationListener(
            _ -> assertThat(server.isAlive()).as(server.out() + server.err()).isTrue())
        .until(() -> allDone(workspace, ids));
  }
}
