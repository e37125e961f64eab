package dev.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each example does what it says. */
@Timeout(120)
@Tag("slow")
class ExamplesTest {
  @TempDir Path dir;

  /** An example's entry. */
  @FunctionalInterface
  private interface Main {
    void run(String[] args) throws InterruptedException;
  }

  /**
   * @param more arguments behind the workspace
   */
  private String printed(Main example, String... more) throws InterruptedException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    try {
      example.run(
          Stream.concat(Stream.of(dir.resolve("workspace").toString()), Stream.of(more))
              .toArray(String[]::new));
    } finally {
      System.setOut(before);
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void embeddedQueueProcessesAJob() throws InterruptedException {
    assertThat(printed(EmbeddedQueue::main)).contains("DONE", "WATER TURNS THE WHEEL");
  }

  @Test
  void embeddedModelAnswersAPrompt() throws InterruptedException {
    String model = Path.of("..", "models", "house", "house.gguf").toString();
    String prompt = "Write a story with these words: mill, river, stone.";
    assertThat(printed(EmbeddedModel::main, model, prompt).lines())
        .first()
        .asString()
        .endsWith(" DONE");
  }

  /** A reader should see the whole example on one screen. */
  @ParameterizedTest
  @ValueSource(strings = {"EmbeddedQueue", "EmbeddedModel"})
  void embeddingTakesAFewLinesOfTheApi(String example) throws IOException {
    Path sources = Path.of("src", "main", "java", "dev", "millrace", "examples");
    List<String> lines = Files.readAllLines(sources.resolve(example + ".java"));
    assertThat(lines).noneMatch(line -> line.startsWith("import") && line.contains(".internal."));
    assertThat(lines.stream().dropWhile(line -> !line.contains("void main(")).count())
        .as("lines from main to the end")
        .isLessThanOrEqualTo(18);
  }

  @Test
  void aPipelinePassesItsGate() throws InterruptedException {
    assertThat(printed(StagesWithGate::main))
        .contains("\"event\":\"approve\"", "oak has 3 letters.");
  }

  @Test
  void aRemoteWorkerResizesTheImagesItClaims() throws InterruptedException {
    assertThat(printed(RemoteWorker::main))
        .contains("from 4000 to 500")
        .endsWith("{\"width\":500}\n{\"width\":640}\n{\"width\":800}\n");
  }

  @Test
  void jobnikGrowsAJobAndApprovesItsGate() throws InterruptedException {
    assertThat(printed(GrowingJobOverHttp::main))
        .contains("stage 2 approve by local")
        .endsWith("now SUCCESS\n3\n3\n6\nthe report for the forester\n");
  }
}
