package dev.millrace.server.http;

import org.jspecify.annotations.Nullable;

/**
 * Watches a request's thread while it waits for its client, and interrupts it when that takes too
 * long: the interrupt closes the connection, and so whatever the thread waits for ends. A stream that
 * is to stop is interrupted too, but never in the middle of a write.
 */
final class Stall {
  private final Thread thread = Thread.currentThread();
  private final Stalls watch;
  private boolean waiting;
  private boolean cut;
  private boolean stopping;
  private long deadline;

  Stall(Stalls watch) {
    this.watch = watch;
  }

  /** From here on the thread depends on its client, until {@link #leave}. */
  synchronized void enter(long nanosFromNow) {
    if (stopping) {
      Thread.interrupted(); // would close the connection under what is still to be said
    }
    deadline = watch.now() + nanosFromNow;
    waiting = true;
  }

  /**
   * The client did its part, or failed.
   *
   * @return whether it was cut off
   */
  synchronized boolean leave() {
    waiting = false;
    if (cut) {
      Thread.interrupted();
    } else if (stopping) {
      thread.interrupt();
    }
    return cut;
  }

  /** Whether the client was cut off for being slow. */
  synchronized boolean isCut() {
    return cut;
  }

  /** Cuts the client off if it is time; true once that has happened. */
  synchronized boolean check(long now) {
    if (waiting && !cut && now - deadline > 0) {
      cut = true;
      thread.interrupt();
    }
    return cut;
  }

  /** Asks the thread to end what it does, without hurting what it writes. */
  synchronized void stop() {
    stopping = true;
    if (!waiting) {
      thread.interrupt();
    }
  }

  /** The thread goes on to something else: it is interrupted no more. */
  synchronized void close() {
    if (cut || stopping) {
      Thread.interrupted();
    }
    waiting = false;
    cut = true;
  }

  /** Runs what depends on the client. */
  void during(long atMost, Waiting waiting) {
    enter(atMost);
    @Nullable RuntimeException failure = null;
    try {
      waiting.run();
    } catch (RuntimeException e) {
      failure = e;
    }
    boolean slow = leave();
    if (slow || failure != null) {
      throw new ClientGone(slow, failure);
    }
  }

  /** Something that depends on the client. */
  @FunctionalInterface
  interface Waiting {
    void run();
  }
}
