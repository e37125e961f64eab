package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.cli.InProcessCli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands as users type them: through the launcher, in processes of their own. */
class LauncherIT {
  @TempDir Path dir;

  private InProcessCli.Result run(String... args) {
    try (LauncherProcess launched = LauncherProcess.start(dir, args)) {
      return launched.result();
    }
  }

  private InProcessCli.Result shell(String line) {
    try (LauncherProcess launched = LauncherProcess.shell(dir, line)) {
      return launched.result();
    }
  }

  @Test
  void commandsHaveStatusAndStreams() {
    assertThat(run("--version").status()).isZero();
    assertThat(run("nonsense").status()).isEqualTo(2);
    InProcessCli.Result work = run("work", "ws", "hello");
    assertThat(work.status()).isZero();
    assertThat(work.out()).matches("[0-9_]+\n");
    assertThat(work.err()).isEmpty();
    assertThat(run("flow", "ws", work.line()).status()).isEqualTo(2);
  }

  /** Under this locale Java would replace non-ASCII characters by question marks. */
  @Test
  void promptsAndPathsSurviveTheLocaleOfCron() throws IOException {
    InProcessCli.Result result = shell("LC_ALL=C $millrace work 'wörk' 'é ü'");
    assertThat(result.status()).as(result.err()).isZero();
    assertThat(dir.resolve("wörk/input/ready/" + result.line() + "/prompt.txt")).hasContent("é ü");
  }

  @Test
  void argumentsThatAreNotUtf8AreRejected() {
    assumeTrue(Files.exists(Path.of("/proc/self/cmdline")));
    InProcessCli.Result result = shell("$millrace work ws \"$(printf 'a\\377')\"");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).contains("argument 3 is not valid UTF-8: byte offset 1");
  }

  @Test
  void aFullDiskForTheOutputIsAnError() {
    assumeTrue(Files.exists(Path.of("/dev/full")));
    InProcessCli.Result result = shell("$millrace states >/dev/full");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).startsWith("Error: cannot write to standard output");
  }

  @Test
  void aReaderThatLeavesIsNoError() {
    assertThat(shell("$millrace states | head -n 1").err()).isEmpty();
  }

  @Test
  void computingPrintsNoWarningOfTheJvm() {
    assumeTrue(Runtime.version().feature() == 25, "on a later Java the module is an option");
    InProcessCli.Result result = run("run", "--model", "house", "-n", "1", "hello");
    assertThat(result.status()).as(result.err()).isZero();
    assertThat(result.err()).isEmpty(); // also none that the Vector API is missing
    assertThat(run("run", "--help").err()).isEmpty();
  }

  @Test
  void aServerWhoseHeapIsFullEndsAndSaysHowToGetMore() {
    InProcessCli.Result result =
        shell("MILLRACE_JAVA_OPTS=-Xmx6m $millrace serve --workspace ws --model house --port 0");
    assertThat(result.status()).isEqualTo(3);
    assertThat(result.out()).isEmpty();
    assertThat(result.err())
        .contains("\nmillrace: out of memory: nothing acknowledged is lost. For more heap: ")
        .endsWith("Terminating due to java.lang.OutOfMemoryError: Java heap space\n");
  }

  @Test
  void aJvmThatCannotStartSaysWhy() {
    InProcessCli.Result result =
        shell("MILLRACE_JAVA_OPTS=-XX:+Nonsense $millrace run --model house hello");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).contains("Unrecognized VM option 'Nonsense'");
  }

  @Test
  void trainingRunsEveryFastCommandAndLeavesNothing() throws IOException {
    InProcessCli.Result result =
        shell(
            "mkdir tmp && JAVA_TOOL_OPTIONS=-Djava.io.tmpdir=$PWD/tmp"
                + " $millrace --aot-training </dev/null");
    assertThat(result.status()).as(result.err()).isZero();
    assertThat(result.out())
        .contains("millrace ", "queued:     1", "done:       1", "a result", "PENDING");
    try (Stream<Path> left = Files.list(dir.resolve("tmp"))) {
      assertThat(left.toList()).isEqualTo(List.of());
    }
  }
}
