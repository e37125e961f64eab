package dev.millrace.engine;

import com.sun.management.ThreadMXBean;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.model.LocalModel;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.wheel.BatchLoop;
import dev.millrace.engine.internal.wheel.WheelSettings;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Measures in a separate JVM how much compiled decoding allocates on the scheduler's and the pool's
 * threads, and prints the bytes per token. One model per JVM, because inlining depends on
 * everything that ran before.
 */
final class AllocationRun {
  /** The allowed bytes per token: what is left is the growth of a sequence's arrays by doubling. */
  static final int ENOUGH = 32;

  private static final int SEQUENCES = 4;
  private static final int PROMPT = 10;
  private static final int TOKENS = 240;
  private static final int MEASURED = 220;
  private static final int ROUNDS = 40;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final List<Long> measured = new ArrayList<>();
  private final BatchLoop wheel;

  private AllocationRun(LocalModel model) {
    int pages = model.settings().pages();
    WheelSettings settings =
        WheelSettings.of(pages, model.context()).withSequences(SEQUENCES).withRows(64, 64);
    PipeProcessor processor = PipeProcessor.local(List.of(model.segment()), model.end());
    wheel =
        new BatchLoop(
            settings,
            List.of(processor),
            new ScenarioWheel.Numbers(model.end().vocabulary()),
            shown -> new ScenarioWheel.Silent(),
            System::nanoTime,
            null);
    measured.add(Thread.currentThread().threadId());
    Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("millrace-crew-"))
        .forEach(thread -> measured.add(thread.threadId()));
  }

  /** Arguments: the file of a model. */
  public static void main(String[] args) {
    LoadSettings settings =
        LoadSettings.usual()
            .withThreads(2)
            .withContext(TinyModel.CONTEXT)
            .withPages(64)
            .withBatches(64, SEQUENCES);
    try (LocalModel model = LocalModel.open(Path.of(args[0]), settings)) {
      System.out.println(new AllocationRun(model).bytesPerToken());
    }
  }

  /** Compilation is concurrent: it is enough that a round with almost no allocation comes soon. */
  private long bytesPerToken() {
    if (measured.size() != 2) {
      throw new IllegalStateException(
          "there are " + measured.size() + " threads that compute, not 2");
    }
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS && least > ENOUGH; round++) {
      least = Math.min(least, round(round));
    }
    return least;
  }

  private long round(int number) {
    for (int i = 0; i < SEQUENCES; i++) {
      int[] prompt = new Random(number).ints(PROMPT + i, 3, TinyModel.VOCABULARY).toArray();
      Sampling.Builder sampling = Sampling.builder().seed(i).topK(20).repetitionPenalty(1.1);
      wheel.submit(
          GenerationRequest.of(prompt, sampling.temperature(i % 2).build(), TOKENS).ignoringEnd(),
          (id, text, logprobs) -> {});
    }
    for (int i = 0; i < 5; i++) {
      wheel.turn();
    }
    long before = allocated();
    for (int i = 0; i < MEASURED; i++) {
      wheel.turn();
    }
    long bytes = allocated() - before;
    while (wheel.turn()) {}
    return bytes / (MEASURED * SEQUENCES);
  }

  private long allocated() {
    return measured.stream().mapToLong(threads::getThreadAllocatedBytes).sum();
  }
}
