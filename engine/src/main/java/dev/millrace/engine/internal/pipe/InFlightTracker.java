package dev.millrace.engine.internal.pipe;

import org.jspecify.annotations.Nullable;

/**
 * Tracks how many groups of a sequence are at other nodes: several while consecutive chunks of its
 * prompt go through the pipe, else one at most. While one is away the sequence keeps its pages, so
 * what would take them makes it drain: no further chunk is sent, and it takes effect when all are
 * back. For one thread at a time.
 */
public final class InFlightTracker {
  private int away;
  private boolean draining;
  private @Nullable StepEnding failure;

  /** Whether any is away. */
  public boolean isAny() {
    return away > 0;
  }

  public void sent() {
    away++;
  }

  /** One is back, or given up. */
  public void returned() {
    away--;
    draining &= away > 0;
  }

  /** Sends no further chunk until all are back. */
  public void drain() {
    draining = away > 0;
  }

  /** Whether the next chunk may be sent. */
  public boolean mayContinue() {
    return !draining && failure == null;
  }

  /** One has no result; those after it will have none either. The first reason counts. */
  public void fail(StepEnding ending) {
    if (failure == null) {
      failure = ending;
    }
  }

  /** Why there is no result from some chunk on; null if there is one so far. */
  public @Nullable StepEnding failure() {
    return failure;
  }

  /** The sequence leaves its pipe. */
  public void clear() {
    away = 0;
    draining = false;
    failure = null;
  }
}
