package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.place.PlaceOpener;
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
}
