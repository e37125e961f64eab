package dev.millrace.client.internal.transport;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Time and chance, so that tests can have their own. Thread-safe. */
public interface TimeSource {

  /** Never runs backwards; only differences mean something. */
  long nanos();

  /**
   * Waits that long, or until {@code signal} is given.
   *
   * @return whether it was given
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
