package dev.millrace.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.model.HouseModel;
import dev.millrace.cli.process.LauncherProcess;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.store.JobReader;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo through the launcher, with the bundled model. */
class DemoIT {
  @TempDir static Path dir;
  private static InProcessCli.Result first;
  private static List<String> texts;

  @BeforeAll
  static void runOnce() throws IOException {
    assertThat(HouseModel.in(LauncherProcess.script().getParent())).isRegularFile();
    Files.createDirectory(dir.resolve("first"));
    first = shell("TMPDIR=first $millrace demo <&-");
    assertThat(first.status()).as(first.toString()).isZero();
    Workspace workspace = Workspace.open(InProcessDemo.workspaces(dir.resolve("first")).getFirst());
    JobId job = workspace.reader().list(JobReader.Query.all()).getFirst();
    texts = texts(workspace.root() + " " + job);
  }

  private static InProcessCli.Result shell(String line) {
    try (LauncherProcess launched = LauncherProcess.shell(dir, line)) {
      return launched.result();
    }
  }

  private static List<String> texts(String job) {
    return shell("$millrace flow " + job + " --stage 1").lines().stream()
        .map(line -> Json.object(line).string("result"))
        .toList();
  }

  @Test
  void theTextsAreShownAndNothingIsLeftRunning() throws IOException {
    assertThat(first.err()).doesNotContain("Error");
    assertThat(first.out()).contains("Approved.", "{\"characters\":", "tokens/s");
    assertThat(texts)
        .hasSize(8)
        .allSatisfy(
            text -> assertThat(first.out()).contains(DemoNarration.wrapped(text, 3).getFirst()));
    assertThat(InProcessDemo.workspaces(dir.resolve("first"))).hasSize(1);
    assertThat(shell("$millrace serve -d first/millrace-demo-1 --status").out())
        .isEqualTo("not running\n");
  }

  /** TERM instead of ^C, which processes in the background may ignore. */
  @Test
  void aStoppedDemoResumesToTheSameTextsWithThePrintedCommands() throws IOException {
    Path apart = Files.createDirectory(dir.resolve("stopped"));
    try (LauncherProcess demo = LauncherProcess.shell(dir, "TMPDIR=stopped exec $millrace demo")) {
      await().atMost(Duration.ofSeconds(50)).until(() -> journaled(apart) > 2_000);
      InProcessCli.Result stopped = demo.signal("TERM").result();
      assertThat(stopped.status()).as(stopped.toString()).isEqualTo(ExitCode.INTERRUPTED);
      String serve = said(stopped, " serve ");
      String approve = said(stopped, " approve ");
      for (String line : List.of(serve, approve, serve)) {
        InProcessCli.Result result = shell(line);
        assertThat(result.status()).as(result.toString()).isZero();
      }
      String job = approve.substring(approve.indexOf(" approve ") + 9, approve.lastIndexOf(' '));
      assertThat(texts(job)).isEqualTo(texts);
    }
  }

  /** Journaled bytes of all stories so far. */
  private static long journaled(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> file.getParent().endsWith("journal"))
          .mapToLong(file -> file.toFile().length())
          .sum();
    } catch (NoSuchFileException | UncheckedIOException e) {
      return 0; // something moved during the walk
    }
  }

  /** A command that the demo printed, for the shell. */
  private static String said(InProcessCli.Result result, String verb) {
    return result.lines().stream()
        .map(line -> line.replaceAll(" *#.*", "").strip())
        .filter(line -> line.startsWith(LauncherProcess.script() + verb))
        .findFirst()
        .orElseThrow();
  }
}
