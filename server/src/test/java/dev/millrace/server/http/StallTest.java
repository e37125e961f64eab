package dev.millrace.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The watch over threads that wait for clients. */
final class StallTest {

  @Test
  void aThreadThatWentOnIsNotInterrupted() {
    try (Stalls stalls = new Stalls(_ -> {})) {
      Stall stall = stalls.open(null);
      stalls.close(stall);
      stall.stop();
      assertThat(Thread.interrupted()).isFalse();
    }
  }

  @Test
  void theWatchSurvivesSurprises() {
    AtomicInteger rounds = new AtomicInteger();
    try (Stalls _ =
        new Stalls(
            _ -> {
              if (rounds.incrementAndGet() < 3) {
                throw new OutOfMemoryError("as if");
              }
            })) {
      await().until(() -> rounds.get() > 3);
    }
  }
}
