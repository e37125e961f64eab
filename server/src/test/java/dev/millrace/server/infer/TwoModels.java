package dev.millrace.server.infer;

import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.shelf.ModelLease;
import java.util.concurrent.atomic.AtomicLong;

/** The models "tiny", which is loaded, and "other", with memory for one of them. */
public final class TwoModels implements AutoCloseable {
  public final Inference inference;

  /**
   * @param clock nanoseconds
   */
  public TwoModels(AtomicLong clock) {
    long one;
    try (Inference alone = Inference.open(TinyModels.serving(TinyModels.llama()))) {
      one = alone.library().loadedModels().getFirst().bytes();
    }
    inference =
        Inference.open(
            TinyModels.serving(TinyModels.llama(), TinyModels.other()).withMemory(one + one / 2),
            clock::get);
  }

  public ModelLease<LoadedModel> lease(String name) throws InterruptedException {
    return inference.library().requestGenerator(name).await().orElseThrow();
  }

  TaskOutcome run(FakeTaskContext task) {
    try {
      return TaskRunFixture.run(inference, task);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    inference.close();
  }
}
