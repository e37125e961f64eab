package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A ticker that would otherwise sleep for an hour. */
class TickerTest {
  private final BlockingQueue<String> ticks = new LinkedBlockingQueue<>();

  @Test
  void aNudgeTicksAtOnceAndAgain() throws InterruptedException {
    Ticker ticker =
        Ticker.start("test", Duration.ofHours(1), () -> ticks.add("tick"), broken -> {});
    for (int i = 0; i < 3; i++) {
      ticker.nudge();
      assertThat(ticks.poll(30, TimeUnit.SECONDS)).as("nudge %d", i).isEqualTo("tick");
    }
    ticker.stop();
    ticker.nudge();
    assertThat(ticks).isEmpty();
  }
}
