package dev.millrace.cli;

import java.time.Duration;

/** Spaces looks at something out, so that they take a small part of the time, whatever one takes. */
final class Pacing {
  private static final int SHARE = 15;

  private final long least;
  private long next = System.nanoTime();

  Pacing(Duration least) {
    this.least = least.toNanos();
  }

  boolean due() {
    return System.nanoTime() - next >= 0;
  }

  /** Looks, and reckons when to look again. */
  void look(Runnable look) {
    long start = System.nanoTime();
    look.run();
    long end = System.nanoTime();
    next = end + Math.max(least, SHARE * (end - start));
  }
}
