package dev.millrace.http.webhook;

import java.time.Clock;
import java.time.Duration;

/**
 * How webhooks are delivered.
 *
 * @param secret the key for signatures; empty: requests are not signed
 * @param retry how failed deliveries are retried
 * @param timeout of one request, including the connection
 * @param maxConcurrent concurrent requests
 * @param maxPerHost concurrent requests to one host and port
 */
public record WebhookSettings(
    WebhookAllowList allow,
    String secret,
    RetrySchedule retry,
    Duration timeout,
    int maxConcurrent,
    int maxPerHost,
    Clock clock) {

  /**
   * The delays after failures: {@code firstDelay}, then twice as long each time.
   *
   * @param giveUpAfter how long after its first failure an event is given up
   */
  public record RetrySchedule(Duration firstDelay, Duration maxDelay, Duration giveUpAfter) {
    public static final RetrySchedule DEFAULT =
        new RetrySchedule(Duration.ofSeconds(5), Duration.ofHours(1), Duration.ofHours(24));

    public RetrySchedule {
      if (firstDelay.isNegative() || firstDelay.isZero() || maxDelay.compareTo(firstDelay) < 0) {
        throw new IllegalArgumentException(
            "retry delays must be above 0 and not shrink, got " + firstDelay + " to " + maxDelay);
      }
    }

    /** The delay after that many failures, from 1. */
    Duration after(int failures) {
      Duration wait = firstDelay;
      for (int i = 1; i < failures && wait.compareTo(maxDelay) < 0; i++) {
        wait = wait.multipliedBy(2);
      }
      return wait.compareTo(maxDelay) < 0 ? wait : maxDelay;
    }
  }

  public WebhookSettings {
    if (maxConcurrent < 1 || maxPerHost < 1) {
      throw new IllegalArgumentException(
          "at least 1 request at once, got " + maxConcurrent + " and " + maxPerHost + " per host");
    }
  }

  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);
  private static final int DEFAULT_MAX_CONCURRENT = 256;
  private static final int DEFAULT_MAX_PER_HOST = 4;

  /** The default timeout and limits. */
  public static WebhookSettings of(WebhookAllowList allow, String secret) {
    return new WebhookSettings(
        allow,
        secret,
        RetrySchedule.DEFAULT,
        DEFAULT_TIMEOUT,
        DEFAULT_MAX_CONCURRENT,
        DEFAULT_MAX_PER_HOST,
        Clock.systemUTC());
  }

  public WebhookSettings withClock(Clock other) {
    return new WebhookSettings(allow, secret, retry, timeout, maxConcurrent, maxPerHost, other);
  }

  public WebhookSettings withTimeout(Duration other) {
    return new WebhookSettings(allow, secret, retry, other, maxConcurrent, maxPerHost, clock);
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "WebhookSettings[timeout="
        + timeout
        + ", maxConcurrent="
        + maxConcurrent
        + ", maxPerHost="
        + maxPerHost
        + "]";
  }
}
