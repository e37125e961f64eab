package dev.millrace.bench.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.model.RandomPrompts;
import dev.millrace.bench.model.ServingSystem;
import dev.millrace.core.job.Priority;
import dev.millrace.engine.TestData;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.oracle.ModelShape;
import dev.millrace.engine.oracle.RandomModels;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class TraceReplayTest {
  private static final int ROWS = 150;
  private static final int ROOM = 64;

  @TempDir Path directory;

  /** Far more requests at once than slots, so that a queue forms and priorities count. */
  @Test
  @Timeout(180)
  void aRecordedBurstLosesNoJobAndStarvesNone() throws Exception {
    Path file = TestData.find("traces/AzureLLMInferenceTrace_conv.csv");
    Path model =
        RandomModels.write(
            directory.resolve("tiny.gguf"), ModelShape.small("llama"), TensorType.Q8_0, 1);
    RandomPrompts texts = RandomPrompts.of(model);
    long seed = System.nanoTime();

    ReplayReport report;
    EngineSettings settings =
        EngineSettings.usual().withThreads(1).withSlots(4).withKernels(KernelType.SCALAR);
    try (ServingSystem mill = ServingSystem.open(directory.resolve("workspace"), model, settings)) {
      RequestTrace trace = RequestTrace.read(file).first(ROWS).scaled(ROOM);
      report = new TraceReplay(mill, texts, seed).run(trace, 100);
    }

    assertThat(report.outcomes()).as("seed %d", seed).hasSize(ROWS);
    assertThat(report.lost()).as("lost, seed %d", seed).isEmpty();
    assertThat(report.overtaken()).as("overtaken, seed %d", seed).isEmpty();
    int finished = 0;
    for (Priority priority : Priority.values()) {
      finished += report.queued(priority).length;
    }
    assertThat(finished).as("finished, seed %d", seed).isEqualTo(ROWS);
  }
}
