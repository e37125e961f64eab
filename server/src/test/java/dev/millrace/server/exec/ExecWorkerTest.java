package dev.millrace.server.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.Flow;
import dev.millrace.core.job.JobId;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.server.InMemoryServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The input and environment of a program, and the handling of its output. */
@Timeout(60)
class ExecWorkerTest {
  private static final ExecLimits SMALL =
      new ExecLimits(Duration.ofSeconds(2), 1000, 5, 10_000, 20);

  private final InMemoryServer inMemory = new InMemoryServer();

  @AfterEach
  void close() {
    inMemory.close();
  }

  private Flow.Job run(String command, String input) throws InterruptedException {
    return run(new ExecWorker("run", command), input);
  }

  private Flow.Job run(ExecWorker worker, String input) throws InterruptedException {
    inMemory.start(worker);
    return inMemory.await(inMemory.submit("run", input));
  }

  @Test
  void stdinToStdoutByteForByte() throws InterruptedException {
    String text = "  grüße\n\n\ttab \uD83D\uDE00 \uFFFD \r\n\n";

    assertThat(run("cat", text).result()).isEqualTo(text);
  }

  @Test
  void emptyInputAndEmptyOutput() throws InterruptedException {
    assertThat(run("cat", "").result()).isEmpty();
  }

  @Test
  void jsonInputIsPassedAsJson() throws InterruptedException {
    inMemory.start(new ExecWorker("run", "cat"));
    JobId job =
        inMemory.submit(StageSpec.of("run", List.of(TaskSpec.of(Map.of("a", List.of(1L))))));

    assertThat(inMemory.await(job).result()).isEqualTo("{\"a\":[1]}");
  }

  @Test
  void megabytesBothWaysDoNotBlock() throws InterruptedException {
    String text = "0123456789abcde\n".repeat(5_000_000 / 16);

    assertThat(run("cat; cat >&2 </dev/null", text).result()).isEqualTo(text);
  }

  @Test
  void outputBeforeInputIsReadDoesNotBlock() throws InterruptedException {
    String text = "x".repeat(3_000_000);
    String command = "head -c 3000000 /dev/zero | tr '\\0' y; cat >/dev/null";

    assertThat(run(command, text).result()).isEqualTo("y".repeat(3_000_000));
  }

  @Test
  void programNeedNotReadItsInput() throws InterruptedException {
    assertThat(run("echo done", "x".repeat(2_000_000)).result()).isEqualTo("done\n");
  }

  @Test
  void programMayCloseItsInput() throws InterruptedException {
    assertThat(run("exec <&-; echo done", "x".repeat(2_000_000)).result()).isEqualTo("done\n");
  }

  @Test
  void environmentNamesTheTask() throws InterruptedException {
    String command =
        "echo $MILLRACE_JOB $MILLRACE_STAGE $MILLRACE_TASK $MILLRACE_TYPE $MILLRACE_ATTEMPT"
            + " $MILLRACE_TOKEN";
    Flow.Job job = run(command, "x");

    assertThat(job.result()).matches(job.id() + " 1 1 run 1 \\d+\\.\\d+\n");
  }

  @Test
  void theShellInterpretsTheCommand() throws InterruptedException {
    assertThat(run("i=0; for w in a b; do echo \"$w $#\"; done | sort -r", "x").result())
        .isEqualTo("b 0\na 0\n");
  }

  @Test
  void exitStatusFailsTheAttemptWithTheLastLineOfStderr() throws InterruptedException {
    Flow.Job job = run("echo half; echo first >&2; echo 'no such page' >&2; echo >&2; exit 3", "x");

    assertThat(job.error()).isEqualTo("exit 3: no such page");
    assertThat(inMemory.lines(job.id())).containsExactly("first", "no such page", "");
  }

  @Test
  void exitStatusAlone() throws InterruptedException {
    assertThat(run("exit 7", "x").error()).isEqualTo("exit 7");
  }

  @Test
  void signalIsNamed() throws InterruptedException {
    assertThat(run("kill -9 $$", "x").error()).isEqualTo("exit 137 (signal KILL)");
  }

  @Test
  void theShellReportsAMissingCommand() throws InterruptedException {
    assertThat(run("no-such-program-here", "x").error())
        .startsWith("exit 127: ")
        .contains("no-such-program-here");
  }

  @Test
  void invalidUtf8IsRefusedWithItsOffset() throws InterruptedException {
    assertThat(run("printf 'gr\\303\\274n\\377'", "x").error())
        .isEqualTo("stdout is not valid UTF-8: byte 0xFF at offset 5");
  }

  @Test
  void truncatedUtf8IsRefused() throws InterruptedException {
    assertThat(run("printf 'ab\\303'", "x").error())
        .isEqualTo("stdout is not valid UTF-8: byte 0xC3 at offset 2");
  }

  @Test
  void tooMuchOutputKillsTheProgram() throws InterruptedException {
    assertThat(run(new ExecWorker("run", "yes", SMALL), "x").error())
        .isEqualTo("printed more than 1000 bytes on stdout and was killed");
  }

  @Test
  void asMuchOutputAsAllowed() throws InterruptedException {
    assertThat(
            run(new ExecWorker("run", "head -c 1000 /dev/zero | tr '\\0' x", SMALL), "x").result())
        .hasSize(1000);
  }

  @Test
  void stderrIsCutInLengthAndNumber() throws InterruptedException {
    String command =
        "echo 0123456789012345678901234567890 >&2; seq 1 100 >&2; printf end >&2; exit 1";
    Flow.Job job = run(new ExecWorker("run", command, SMALL), "x");

    assertThat(job.error()).isEqualTo("exit 1: end");
    assertThat(inMemory.lines(job.id()))
        .containsExactly(
            "01234567890123456789…",
            "1",
            "2",
            "3",
            "4",
            "stderr is cut here: an attempt may log 5 lines and 10000 bytes");
  }

  @Test
  void secretsOnStderrAreRedacted() throws InterruptedException {
    String command =
        "printf '%s\\n' 'key sk-0123456789' '-----BEGIN PRIVATE KEY-----' MIIE abc"
            + " '-----END PRIVATE KEY-----' fine >&2; echo 'password=hunter2' >&2; exit 1";
    Flow.Job job = run(command, "x");

    assertThat(job.error()).isEqualTo("exit 1: password=[redacted]");
    assertThat(inMemory.lines(job.id()))
        .containsExactly(
            "key [redacted]",
            "[redacted]",
            "[redacted]",
            "[redacted]",
            "[redacted]",
            "fine",
            "password=[redacted]");
  }

  @Test
  void stderrIsLoggedWhileTheProgramRuns() throws InterruptedException {
    inMemory.start(new ExecWorker("run", "echo here >&2; exec sleep 300"));
    JobId job = inMemory.submit("run", "x");

    assertThat(inMemory.awaitLine(job, "her")).isEqualTo("e");
    assertThat(inMemory.flow.status(job)).isEqualTo(Flow.Status.RUNNING);
  }

  @Test
  void manyProgramsAtOnceLeaveNoDescriptorsBehind() throws InterruptedException {
    inMemory.start(8, new ExecWorker("run", "cat; echo log >&2"));
    inMemory.await(inMemory.submit("run", "warm up"));
    long before = descriptors();
    String[] inputs = new String[100];
    java.util.Arrays.setAll(inputs, i -> "x".repeat(5000) + i);
    Flow.Job job = inMemory.await(inMemory.submit("run", inputs));

    assertThat(job.results()).hasSize(100).allMatch(result -> result != null);
    // Java closes a pipe's end a moment after the process has ended.
    inMemory.await(job.id(), () -> descriptors() <= before + 3);
  }

  private static long descriptors() {
    String[] open = new java.io.File("/proc/self/fd").list();
    return open == null ? 0 : open.length;
  }

  @Test
  void typeAndCommandAreSplitAtTheFirstEquals() {
    try (ExecWorker worker = ExecWorker.parse("resize=convert -a x=y")) {
      assertThat(worker.type()).isEqualTo("resize");
      assertThat(worker).hasToString("resize=convert -a x=y");
    }
    assertThatThrownBy(() -> ExecWorker.parse("resize"))
        .hasMessage("expected TYPE=COMMAND, got \"resize\"");
    assertThatThrownBy(() -> ExecWorker.parse("=x")).hasMessageContaining("TYPE=COMMAND");
    assertThatThrownBy(() -> ExecWorker.parse("a= ")).hasMessage("type \"a\" has no command");
    assertThatThrownBy(() -> ExecWorker.parse("a/b=x")).hasMessageContaining("a/b");
  }
}
