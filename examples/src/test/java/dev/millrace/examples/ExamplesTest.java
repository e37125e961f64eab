package dev.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Each example that needs no model does what it says. */
@Timeout(120)
class ExamplesTest {
  @TempDir Path dir;

  /** An example's entry. */
  @FunctionalInterface
  private interface Main {
    void run(String[] args) throws InterruptedException;
  }

  private String printed(Main example) throws InterruptedException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    try {
      example.run(new String[] {dir.resolve("workspace").toString()});
    } finally {
      System.setOut(before);
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void embeddedServerAnswersAPrompt() throws InterruptedException {
    assertThat(printed(EmbeddedServer::main)).contains("DONE", "WATER TURNS THE WHEEL");
  }

  @Test
  void pipelinePassesItsGate() throws InterruptedException {
    assertThat(printed(StagesWithGate::main))
        .contains("\"event\":\"approve\"", "oak has 3 letters.");
  }

  @Test
  void remoteWorkerResizesWhatItClaims() throws InterruptedException {
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
