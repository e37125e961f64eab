package dev.millrace.cli.terminal;

import java.time.Duration;

/** Spaces looks at something out, so that they take a small part of the time, whatever one takes. */
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

  /** Looks, and reckons when to look again. */
  public void poll(Runnable look) {
    long start = System.nanoTime();
    look.run();
    long end = System.nanoTime();
    next = end + Math.max(least, SHARE * (end - start));
  }
}
