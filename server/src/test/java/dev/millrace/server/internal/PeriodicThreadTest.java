package dev.millrace.server.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.store.StoreException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A periodic thread with a pause of an hour. */
class PeriodicThreadTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final BlockingQueue<Thread> ticks = new LinkedBlockingQueue<>();

  private void runOnce() {
    ticks.add(Thread.currentThread());
  }

  private Thread nextTick() throws InterruptedException {
    Thread thread = ticks.poll(30, TimeUnit.SECONDS);
    assertThat(thread).isNotNull();
    return thread;
  }

  @Test
  void aTriggerRunsTheActionAtOnceEachTime() throws InterruptedException {
    PeriodicThread periodic = PeriodicThread.start("test", HOUR, this::runOnce, broken -> {});
    periodic.trigger();
    Thread thread = nextTick();
    for (int i = 0; i < 2; i++) {
      periodic.trigger();
      assertThat(nextTick()).isSameAs(thread);
    }
    periodic.close(); // most likely while it waits
    assertThat(thread.join(Duration.ofSeconds(30))).as("the thread has ended").isTrue();
    assertThat(ticks).isEmpty();
  }

  @Test
  void aClosedStoreEndsTheThread() throws InterruptedException {
    PeriodicThread periodic =
        PeriodicThread.start(
            "test",
            HOUR,
            () -> {
              runOnce();
              throw new StoreException.Closed();
            },
            broken -> {});
    periodic.trigger();
    assertThat(nextTick().join(Duration.ofSeconds(30))).as("the thread has ended").isTrue();
  }

  @Test
  void aClosedThreadEndsEvenIfItIsTriggered() throws InterruptedException {
    Semaphore go = new Semaphore(0);
    PeriodicThread periodic =
        PeriodicThread.start(
            "test",
            HOUR,
            () -> {
              runOnce();
              go.acquireUninterruptibly();
            },
            broken -> {});
    periodic.trigger();
    Thread thread = nextTick();
    periodic.trigger(); // while it is in the middle of a runOnce
    periodic.close();
    periodic.trigger();
    go.release(10);
    assertThat(thread.join(Duration.ofSeconds(30))).as("the thread has ended").isTrue();
    assertThat(ticks).isEmpty();
  }

  @Test
  void anErrorDoesNotEndTheThread() throws InterruptedException {
    Runnable failing =
        () -> {
          runOnce();
          throw new AssertionError("a hook's own");
        };
    try (PeriodicThread periodic = PeriodicThread.start("test", HOUR, failing, broken -> {})) {
      periodic.trigger();
      nextTick();
      periodic.trigger();
      nextTick();
    }
  }
}
