package dev.millrace.http.webhook;

import java.time.Duration;
import java.time.InstantSource;

/**
 * How receivers are told.
 *
 * @param secret the key of the signatures; without one (empty) nothing is signed
 * @param patience how a receiver that fails is tried again
 * @param timeout of one request, from the first packet to the last
 * @param atOnce requests under way at most
 * @param perHost of these, to one host and port
 */
public record WebhookSettings(
    WebhookAllowList allow,
    String secret,
    RetrySchedule retry,
    Duration timeout,
    int maxConcurrent,
    int maxPerHost,
    InstantSource clock) {

  /**
   * Waits after a failure: the first, then twice as long each time.
   *
   * @param inAll how long after its first failure an event is given up
   */
  public record RetrySchedule(Duration firstDelay, Duration maxDelay, Duration giveUpAfter) {
    public static final RetrySchedule USUAL =
        new RetrySchedule(Duration.ofSeconds(5), Duration.ofHours(1), Duration.ofHours(24));

    public RetrySchedule {
      if (firstDelay.isNegative() || firstDelay.isZero() || maxDelay.compareTo(firstDelay) < 0) {
        throw new IllegalArgumentException(
            "waits must be longer than 0 and grow, got " + firstDelay + " to " + maxDelay);
      }
    }

    /** How long to wait after that many failures, from 1. */
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

  /** 10 s for a request, 256 at once, 4 to a host. */
  public static WebhookSettings of(WebhookAllowList allow, String secret) {
    return new WebhookSettings(
        allow, secret, RetrySchedule.USUAL, Duration.ofSeconds(10), 256, 4, InstantSource.system());
  }

  public WebhookSettings withClock(InstantSource other) {
    return new WebhookSettings(allow, secret, retry, timeout, maxConcurrent, maxPerHost, other);
  }

  public WebhookSettings withTimeout(Duration other) {
    return new WebhookSettings(allow, secret, retry, other, maxConcurrent, maxPerHost, clock);
  }

  /** The secret is not for logs. */
  @Override
  public String toString() {
    return "HookSettings[timeout="
        + timeout
        + ", atOnce="
        + maxConcurrent
        + ", perHost="
        + maxPerHost
        + "]";
  }
}
