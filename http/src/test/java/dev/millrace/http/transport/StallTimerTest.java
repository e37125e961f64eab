package dev.millrace.http.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Timeouts of threads that wait for clients. */
final class StallTimerTest {

  @Test
  void threadIsNotInterruptedAfterItsWait() {
    try (StallWatcher stalls = new StallWatcher(_ -> {})) {
      StallTimer stall = stalls.open(null);
      stalls.close(stall);
      stall.stop();
      assertThat(Thread.interrupted()).isFalse();
    }
  }

  @Test
  void watcherSurvivesExceptions() {
    AtomicInteger rounds = new AtomicInteger();
    try (StallWatcher _ =
        new StallWatcher(
            _ -> {
              if (rounds.incrementAndGet() < 3) {
                throw new OutOfMemoryError("as if");
              }
            })) {
      await().until(() -> rounds.get() > 3);
    }
  }
}
