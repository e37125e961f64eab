package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Outcome;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A listener throws an Error: the task that it was told of runs and ends. */
class ListenerErrorTest {
  /** Throws in one of its methods, once. */
  private record FailingListener(String method, AtomicBoolean thrown) implements TaskListener {
    @Override
    public void started(Claim claim) {
      failIn("started");
    }

    @Override
    public void finished(Claim claim, TaskOutcome outcome, Outcome answer) {
      failIn("finished");
    }

    private void failIn(String now) {
      if (now.equals(method) && thrown.compareAndSet(false, true)) {
        throw new StackOverflowError("simulated");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"started", "finished"})
  void noTaskIsLost(String method) {
    FailingListener listener = new FailingListener(method, new AtomicBoolean());
    try (InMemoryServer inMemory = new InMemoryServer()) {
      inMemory.submit("work", "a", "b", "c");
      Server server =
          inMemory.keep(
              inMemory.builder(Worker.of("work", task -> "x")).listener(listener).build());
      assertThat(assertTimeoutPreemptively(InMemoryServer.TIMEOUT, server::drain))
          .isEqualTo(DrainResult.CLEAN);
      assertThat(listener.thrown()).isTrue();
    }
  }
}
