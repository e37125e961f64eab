package dev.millrace.cli.terminal;

import java.time.Duration;

/** Spaces out polls so that they take a small part of the time, however long one poll takes. */
public final class PollPacer {
  private static final int SHARE = 15;

  private final long least;
  private long next = System.nanoTime();

  public PollPacer(Duration least) {
    this.least = least.toNanos();
  }

  public boolean isDue() {
    return System.nanoTime() - next >= 0;
  }

  /** Polls, and computes when the next poll is due. */
  public void poll(Runnable action) {
    long start = System.nanoTime();
    action.run();
    long end = System.nanoTime();
    next = end + Math.max(least, SHARE * (end - start));
  }
}
