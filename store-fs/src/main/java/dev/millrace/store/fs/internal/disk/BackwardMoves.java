package dev.millrace.store.fs.internal.disk;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The owner's renames of jobs against the order in which their directories are searched, such as
 * from {@code paused} to {@code input/ready}. Only these let a search miss a job that is there: in
 * the other direction the search meets it later. Thread-safe.
 */
public final class BackwardMoves {
  private final AtomicLong begun = new AtomicLong();
  private final AtomicLong ended = new AtomicLong();

  /** A rename. */
  @FunctionalInterface
  public interface Move {
    void run() throws IOException;
  }

  public void run(Move move) throws IOException {
    begun.incrementAndGet();
    try {
      move.run();
    } finally {
      ended.incrementAndGet();
    }
  }

  /** How many have ended, to be read before a search. */
  long ended() {
    return ended.get();
  }

  /** Whether none was under way since {@link #ended} returned that number. */
  boolean noneSince(long endedBefore) {
    return begun.get() == endedBefore;
  }
}
