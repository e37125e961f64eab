package dev.millrace.cli.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Runs the examples of the README. */
@ResourceLock(ExampleRun.PORTS)
class ReadmeIT {
  private static final Pattern RESUMED = Pattern.compile("\"resumed\": ?([0-9]+)");

  @TempDir Path dir;

  @Test
  void everyExampleOfTheReadmeWorks() throws IOException, InterruptedException {
    MarkdownDocument readme = MarkdownDocument.read(ExampleRun.ROOT, Path.of("README.md"));
    String said = ExampleRun.of(readme, dir);
    assertThat(said)
        .contains("Nothing runs any more") // the demo
        .contains("the same") // verify
        .contains("\"custom_id\":\"s1\"")
        .contains("{\"characters\":[")
        .contains("\"vector\": [")
        .containsPattern("failed: +0")
        .contains("the same bytes") // after the server was killed
        .contains("WHY IS THE SKY BLUE")
        .contains("event: status", "\"state\":\"success\"") // over HTTP
        .contains("house:1-3", "house:4-6") // who holds what
        .doesNotContain("Error");
    assertThat(Files.readAllLines(dir.resolve("answers.jsonl"))).hasSize(20);
    assertThat(RESUMED.matcher(said).results().map(match -> Integer.parseInt(match.group(1))))
        .as("tokens of each text when the server was killed: %s", said)
        .hasSizeBetween(1, 8)
        .allMatch(tokens -> tokens > 0 && tokens < 300)
        .anyMatch(tokens -> tokens > 1);
  }
}
