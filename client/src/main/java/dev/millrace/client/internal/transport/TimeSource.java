package dev.millrace.client.internal.transport;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Time, waits and random numbers; tests have their own. Thread-safe. */
public interface TimeSource {

  /** A monotonic time, as {@link System#nanoTime}: only differences have a meaning. */
  long nanos();

  /**
   * Waits for {@code time}, or until {@code signal} is counted down.
   *
   * @return whether the signal was counted down
   */
  boolean await(CountDownLatch signal, Duration time) throws InterruptedException;

  /** Uniform in [0, 1). */
  double random();

  TimeSource SYSTEM =
      new TimeSource() {
        @Override
        public long nanos() {
          return System.nanoTime();
        }

        @Override
        public boolean await(CountDownLatch signal, Duration time) throws InterruptedException {
          return signal.await(time.toNanos(), TimeUnit.NANOSECONDS);
        }

        @Override
        public double random() {
          return ThreadLocalRandom.current().nextDouble();
        }
      };
}
