package dev.millrace.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.model.HouseModel;
import dev.millrace.cli.process.LauncherProcess;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
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
  private static JsonObject first;

  @BeforeAll
  static void runOnce() {
    assertThat(HouseModel.in(LauncherProcess.script().getParent())).isRegularFile();
    InProcessCli.Result result = shell("TMPDIR=. $millrace demo --json <&-");
    assertThat(result.status()).as(result.toString()).isZero();
    first = Json.object(result.line());
  }

  private static InProcessCli.Result shell(String line) {
    try (LauncherProcess launched = LauncherProcess.shell(dir, line)) {
      return launched.result();
    }
  }

  private static List<String> texts() {
    return first.list("stories").stream()
        .map(each -> JsonObject.of(each, "story").string("story"))
        .toList();
  }

  @Test
  void aSecondDemoGivesTheSameTextAndLeavesNothingRunning() throws IOException {
    Path apart = Files.createDirectory(dir.resolve("second"));
    InProcessCli.Result second = shell("TMPDIR=second $millrace demo </dev/null");
    assertThat(second.status()).as(second.toString()).isZero();
    assertThat(second.err()).doesNotContain("Error");
    assertThat(second.out()).contains("Approved.", "{\"characters\":", "tokens/s");
    assertThat(texts())
        .hasSize(8)
        .allSatisfy(
            text -> assertThat(second.out()).contains(DemoNarration.wrapped(text, 3).getFirst()));
    assertThat(InProcessDemo.workspaces(apart)).hasSize(1);
    assertThat(shell("$millrace serve -d second/millrace-demo-1 --status").out())
        .isEqualTo("not running\n");
  }

  /** TERM instead of ^C, which processes in the background may ignore. */
  @Test
  void aStoppedDemoResumesWithThePrintedCommands() throws IOException {
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
      assertThat(shell("$millrace flow " + job + " --stage 1").lines())
          .extracting(line -> Json.object(line).string("result"))
          .isEqualTo(texts());
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
