package dev.millrace.engine.api;

import java.time.Duration;

/**
 * A computation with made-up tokens after a model was loaded: it lasts until the JVM has compiled
 * what the model needs, so that the first request is as fast as later ones. Any thread may use it.
 */
public interface WarmUp {

  /** A warm-up that is over. */
  WarmUp DONE =
      new WarmUp() {
        @Override
        public void cancel() {}

        @Override
        public boolean await(Duration limit) {
          return true;
        }

        @Override
        public boolean gaveWay() {
          return false;
        }
      };

  /** Ends it, after the present batch. */
  void cancel();

  /**
   * Waits for its end.
   *
   * @return whether it has ended
   */
  boolean await(Duration limit) throws InterruptedException;

  /** Whether it ended too early, because there was a request: that warms the model up instead. */
  boolean gaveWay();
}
