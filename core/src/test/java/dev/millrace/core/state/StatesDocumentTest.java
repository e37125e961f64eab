package dev.millrace.core.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobState;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.stage.StageTransitions;
import dev.millrace.core.task.TaskTransitions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@code docs/states.md} shows the present tables. This test only compares; update the document by
 * hand.
 */
class StatesDocumentTest {
  private static final Path DOCUMENT = Path.of("..", "docs", "states.md");

  static Stream<TransitionTable<?, ?>> tables() {
    return Stream.of(JobTransitions.TABLE, StageTransitions.TABLE, TaskTransitions.TABLE);
  }

  @ParameterizedTest
  @MethodSource("tables")
  void theDocumentShowsEachTableAndItsDiagram(TransitionTable<?, ?> table) throws IOException {
    String begin = "<!-- " + table.entity() + ": from the table -->\n";
    String end = "<!-- /" + table.entity() + " -->\n";
    String expected = "\n" + table.toMarkdown() + "\n```mermaid\n" + table.toMermaid() + "```\n\n";
    String text = Files.readString(DOCUMENT);
    int from = text.indexOf(begin);
    int to = text.indexOf(end);
    assertThat(from).as("%s has the line %s", DOCUMENT, begin).isNotNegative();
    assertThat(to).as("%s has the line %s", DOCUMENT, end).isGreaterThan(from);
    assertThat(text.substring(from + begin.length(), to))
        .as(
            "the table has changed: between the lines%n%sand%n%sof %s put%n%s",
            begin, end, DOCUMENT, expected)
        .isEqualTo(expected);
  }

  @Test
  void everyStateOfAJobHasItsNamesInTheDocument() throws IOException {
    String text = Files.readString(DOCUMENT);
    assertThat(text).contains("| canonical | workspace place | nrvna | so1 | OpenAI batch |");
    for (JobState state : JobState.values()) {
      assertThat(text).contains("\n| " + state + " | ");
    }
    assertThat(text).contains("\n| no such job | ");
  }
}
