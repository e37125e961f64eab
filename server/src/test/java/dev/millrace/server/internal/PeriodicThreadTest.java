package dev.millrace.server.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A ticker that would otherwise sleep for an hour. */
class PeriodicThreadTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final BlockingQueue<Thread> ticks = new LinkedBlockingQueue<>();

  private void tick() {
    ticks.add(Thread.currentThread());
  }

  private Thread nextTick() throws InterruptedException {
    Thread thread = ticks.poll(30, TimeUnit.SECONDS);
    assertThat(thread).isNotNull();
    return thread;
  }

  @Test
  void aNudgeTicksAtOnceAndAgain() throws InterruptedException {
    PeriodicThread ticker = PeriodicThread.start("test", HOUR, this::tick, broken -> {});
    ticker.trigger();
    Thread thread = nextTick();
    for (int i = 0; i < 2; i++) {
      ticker.trigger();
      assertThat(nextTick()).isSameAs(thread);
    }
    ticker.close(); // most likely while it waits
    assertThat(thread.join(Duration.ofSeconds(30))).as("it has ended").isTrue();
    assertThat(ticks).isEmpty();
  }

  @Test
  void aClosedTickerEndsWhateverItIsStillToldToDo() throws InterruptedException {
    Semaphore go = new Semaphore(0);
    PeriodicThread ticker =
        PeriodicThread.start(
            "test",
            HOUR,
            () -> {
              tick();
              go.acquireUninterruptibly();
            },
            broken -> {});
    ticker.trigger();
    Thread thread = nextTick();
    ticker.trigger(); // while it is in the middle of a tick
    ticker.close();
    ticker.trigger();
    go.release(10);
    assertThat(thread.join(Duration.ofSeconds(30))).as("it has ended").isTrue();
    assertThat(ticks).isEmpty();
  }

  @Test
  void anErrorDoesNotEndIt() throws InterruptedException {
    Runnable failing =
        () -> {
          tick();
          throw new AssertionError("a hook's own");
        };
    try (PeriodicThread ticker = PeriodicThread.start("test", HOUR, failing, broken -> {})) {
      ticker.trigger();
      nextTick();
      ticker.trigger();
      nextTick();
    }
  }
}
