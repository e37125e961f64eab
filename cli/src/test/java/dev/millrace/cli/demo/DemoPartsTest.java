package dev.millrace.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cli.command.Shell;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.template.StageTemplate;
import dev.millrace.engine.grammar.JsonSchema;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The small parts of the demo. */
class DemoPartsTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private Shell shell() {
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    return new Shell(
        InputStream.nullInputStream(), stream, stream, Map.of(), Path.of(""), descriptor -> false);
  }

  private static DemoProgress frame(long seconds, DemoProgress.Row... rows) {
    return new DemoProgress(
        1, StageState.IN_PROGRESS, List.of(rows), Duration.ofSeconds(seconds), 1234.5, 100);
  }

  private static DemoProgress.Row row(TaskState state, long tokens) {
    return new DemoProgress.Row(1, state, tokens, "text");
  }

  /** As {@code work --job} would check it. */
  @Test
  void theJobCouldBeSubmittedByHand() {
    JobSpec job = DemoJob.of(1024);
    JobSpec again =
        JobDocument.read(Json.object(Json.write(JobDocument.write(job, true))), JobDocument.INLINE);
    assertThat(JobDocument.write(again, true).toString())
        .isEqualTo(JobDocument.write(job, true).toString());
    assertThat(again.stages().getFirst().tasks()).hasSize(8);
    assertThat(again.stages().get(1).gate()).isTrue();
    StageTemplate.check(String.valueOf(again.stages().get(1).each()), 2, true);
    assertThat(JsonSchema.compile(again.stages().get(1).data().object("json_schema").values()))
        .isNotNull();
  }

  @Test
  void aStoryLeavesRoomInTheContextOfTheSecondStage() {
    assertThat(DemoJob.limit(1024)).isEqualTo(320);
    assertThat(DemoJob.limit(131_072)).isEqualTo(320);
    assertThat(DemoJob.limit(256)).isEqualTo(85);
  }

  @Test
  void theShareCountsTasksAndTheirTokens() {
    assertThat(frame(1).share()).isZero();
    assertThat(frame(1, row(TaskState.COMPLETED, 10), row(TaskState.IN_PROGRESS, 50)).share())
        .isEqualTo(0.75);
    assertThat(frame(1, row(TaskState.IN_PROGRESS, 100)).share()).isLessThan(1);
  }

  @Test
  void plainProgressIsALineEveryOtherSecond() {
    DemoPlainScreen lines = new DemoPlainScreen(shell());
    for (int second = 0; second <= 5; second++) {
      lines.show(frame(second, row(TaskState.COMPLETED, 1000), row(TaskState.PENDING, 0)));
    }
    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo("  1 of 2 done, 1,000 tokens, 1,235 tokens/s\n".repeat(2));
  }

  @Test
  void theEndOfATextIsShownOnOneLine() {
    assertThat(DemoLiveScreen.tail("short\ntext ", 20)).isEqualTo("short text");
    assertThat(DemoLiveScreen.tail("0123456789", 10)).isEqualTo("0123456789");
    assertThat(DemoLiveScreen.tail("0123456789A", 10)).isEqualTo("…23456789A").hasSize(10);
    assertThat(DemoLiveScreen.tail("\uD83D\uDE00".repeat(10), 10))
        .isEqualTo("…" + "\uD83D\uDE00".repeat(4));
  }

  @Test
  void textIsWrappedAndCut() {
    assertThat(DemoNarration.wrapped("", 2)).containsExactly("");
    assertThat(DemoNarration.wrapped("one\n\ntwo", 2)).containsExactly("one two");
    List<String> lines = DemoNarration.wrapped("word ".repeat(100), 2);
    assertThat(lines).hasSize(2).allSatisfy(line -> assertThat(line).hasSizeLessThan(79));
    assertThat(lines.getLast()).endsWith("word …");
    assertThat(DemoNarration.wrapped("x".repeat(500), 2)).hasSize(1);
  }

  @Test
  void aDirectoryIsNewAndPrivateToTheUser(@TempDir Path temporary) throws IOException {
    Shell shell =
        new Shell(
            InputStream.nullInputStream(),
            System.out,
            System.err,
            Map.of("TMPDIR", temporary.toString()),
            temporary,
            descriptor -> false);
    assertThatThrownBy(
            () ->
                DemoDirectory.create(
                    new Shell(
                        shell.in(),
                        shell.out(),
                        shell.err(),
                        Map.of("TMPDIR", "/nowhere"),
                        temporary,
                        shell.terminal())))
        .hasMessageContaining("TMPDIR is /nowhere, which is not a directory");
    Files.createDirectory(temporary.resolve("millrace-demo-2"));
    Path first = DemoDirectory.create(shell);
    assertThat(first).isEqualTo(temporary.resolve("millrace-demo-1"));
    assertThat(DemoDirectory.create(shell)).isEqualTo(temporary.resolve("millrace-demo-3"));
    if (Files.getFileStore(first).supportsFileAttributeView("posix")) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(first)))
          .isEqualTo("rwx------");
    }
  }
}
