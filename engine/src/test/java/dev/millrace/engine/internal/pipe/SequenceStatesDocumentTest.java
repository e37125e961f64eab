package dev.millrace.engine.internal.pipe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/states.md} shows the sequence's table as it is. This test compares; people rewrite.
 */
class SequenceStatesDocumentTest {
  private static final Path DOCUMENT = Path.of("..", "docs", "states.md");

  @Test
  void theDocumentShowsTheTableAndItsDiagram() throws IOException {
    PipeTransitionTable table = PipeTransitionTable.SEQUENCE;
    String expected =
        "<!-- sequence: from the table -->\n\n"
            + table.toMarkdown()
            + "\n```mermaid\n"
            + table.toMermaid()
            + "```\n\n<!-- /sequence -->\n";
    assertThat(Files.readString(DOCUMENT))
        .as("docs/states.md must have%n%s", expected)
        .contains(expected);
  }
}
