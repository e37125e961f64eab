package dev.millrace.http.transport;

import org.jspecify.annotations.Nullable;

/**
 * Watches a request's thread while it waits for its client, and interrupts it when that takes too
 * long: the interrupt closes the connection, and so whatever the thread waits for ends. Where it only
 * waits to read, no more is read, and the client can still be told. A stream that is to stop is
 * interrupted too, but never in the middle of a write.
 */
public final class StallTimer {
  private final Thread thread = Thread.currentThread();
  private final StallWatcher watch;
  private final Runnable endReading;
  private boolean waiting;
  private boolean reading;
  private boolean cut;
  private boolean stopping;
  private boolean closed;
  private long deadline;

  /**
   * @param endReading lets whoever reads what the client sends come to its end; null: an interrupt
   */
  StallTimer(StallWatcher watch, @Nullable Runnable endReading) {
    this.watch = watch;
    this.endReading = endReading == null ? thread::interrupt : endReading;
  }

  /**
   * From here on the thread depends on its client, until {@link #stopWaiting}.
   *
   * @param toRead whether it only waits to read
   */
  synchronized void startWaiting(long nanosFromNow, boolean toRead) {
    if (stopping) {
      Thread.interrupted(); // would close the connection under what is still to be said
    }
    deadline = watch.now() + nanosFromNow;
    waiting = true;
    reading = toRead;
  }

  /**
   * The client did its part, or failed.
   *
   * @return whether it was cut off
   */
  synchronized boolean stopWaiting() {
    waiting = false;
    if (cut) {
      Thread.interrupted();
    } else if (stopping) {
      thread.interrupt();
    }
    boolean slow = cut;
    cut &= !reading; // it is told, and may be too slow again
    return slow;
  }

  /** Cuts the client off if it is time; true once there is nothing more to watch. */
  synchronized boolean checkDeadline(long now) {
    if (waiting && !cut && now - deadline > 0) {
      cut = true;
      if (reading) {
        endReading.run();
      } else {
        thread.interrupt();
      }
    }
    return closed;
  }

  /** Asks the thread to end what it does, without hurting what it writes. */
  public synchronized void stop() {
    if (closed) {
      return; // the thread may serve another request by now
    }
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
    closed = true;
  }

  /** Runs what reads from the client. */
  void whileReading(long atMost, BlockingAction waiting) {
    run(atMost, true, waiting);
  }

  /** Runs what depends on the client. */
  void whileWaiting(long atMost, BlockingAction waiting) {
    run(atMost, false, waiting);
  }

  private void run(long atMost, boolean toRead, BlockingAction waiting) {
    startWaiting(atMost, toRead);
    @Nullable RuntimeException failure = null;
    try {
      waiting.run();
    } catch (RuntimeException e) {
      failure = e;
    }
    boolean slow = stopWaiting();
    if (slow || failure != null) {
      throw new ClientGoneException(slow, failure);
    }
  }

  /** Something that depends on the client. */
  @FunctionalInterface
  interface BlockingAction {
    void run();
  }
}
