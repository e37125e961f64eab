package dev.millrace.http.job;

import java.time.Duration;

/**
 * How long a stream waits before it looks for output that nothing has told it of, because another
 * server makes it: a short time after there was some, longer while there is none. Not thread-safe.
 */
public final class OutputPacer {
  private static final Duration FIRST = Duration.ofMillis(100);
  private static final Duration SLOWEST = Duration.ofSeconds(2);

  private final boolean shared;
  private Duration next = FIRST;

  /**
   * @param shared whether there may be another server
   */
  public OutputPacer(boolean shared) {
    this.shared = shared;
  }

  /**
   * The time until the next look.
   *
   * @param running whether there may be output: the start of a job is told
   * @param news whether the last look found some
   * @param atMost until something else has to be done
   */
  public Duration wait(boolean running, boolean news, Duration atMost) {
    return shared && running ? wait(news, atMost) : atMost;
  }

  /** As the other method, also if there is no other server: the last look failed. */
  public Duration waitAfterFailure(Duration atMost) {
    return wait(false, atMost);
  }

  private Duration wait(boolean news, Duration atMost) {
    Duration wait = news ? FIRST : next;
    next = wait.multipliedBy(2).compareTo(SLOWEST) < 0 ? wait.multipliedBy(2) : SLOWEST;
    return wait.compareTo(atMost) < 0 ? wait : atMost;
  }
}
