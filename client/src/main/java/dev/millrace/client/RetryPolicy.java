package dev.millrace.client;

import dev.millrace.core.task.Backoff;
import java.time.Duration;

/**
 * How often a repeatable request is retried, and how long the waits are.
 *
 * @param retries tries after the first one
 */
public record RetryPolicy(int retries, Backoff backoff) {

  /** Three retries, after 100, 200 and 400 ms, each with a jitter of 50 percent. */
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(3, new Backoff(Duration.ofMillis(100), 2.0, Duration.ofSeconds(30), 0.5));

  public static final RetryPolicy NONE = new RetryPolicy(0, DEFAULT.backoff());

  public RetryPolicy {
    if (retries < 0 || retries > 100) {
      throw new IllegalArgumentException("retries must be 0 to 100, got " + retries);
    }
  }
}
