package dev.millrace.http.transport;

import org.jspecify.annotations.Nullable;

/**
 * Limits how long a request's thread waits for its client. When a write takes too long, it
 * interrupts the thread, which closes the connection. When a read takes too long, it only ends the
 * input, so that the client can still get a response. A stream that must stop is interrupted too,
 * but never during a write.
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
   * @param endReading ends the input of the connection; null: interrupt the thread
   */
  StallTimer(StallWatcher watch, @Nullable Runnable endReading) {
    this.watch = watch;
    this.endReading = endReading == null ? thread::interrupt : endReading;
  }

  /**
   * The thread starts to wait for its client, until {@link #stopWaiting}.
   *
   * @param toRead whether it waits for input
   */
  synchronized void startWaiting(long nanosFromNow, boolean toRead) {
    if (stopping) {
      Thread.interrupted(); // it would close the connection before the last write
    }
    deadline = watch.now() + nanosFromNow;
    waiting = true;
    reading = toRead;
  }

  /**
   * The wait ended.
   *
   * @return whether the client was too slow
   */
  synchronized boolean stopWaiting() {
    waiting = false;
    if (cut) {
      Thread.interrupted();
    } else if (stopping) {
      thread.interrupt();
    }
    boolean slow = cut;
    cut &= !reading; // the timer can be used again, for the response
    return slow;
  }

  /** Cuts the client off if the deadline passed; true if this timer is closed. */
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

  /** Interrupts the thread, but never during a write. */
  public synchronized void stop() {
    if (closed) {
      return; // the thread may handle another request now
    }
    stopping = true;
    if (!waiting) {
      thread.interrupt();
    }
  }

  /** Ends the timer: the thread is not interrupted any more. */
  synchronized void close() {
    if (cut || stopping) {
      Thread.interrupted();
    }
    waiting = false;
    closed = true;
  }

  /** Runs an action that reads from the client. */
  void whileReading(long timeoutNanos, BlockingAction waiting) {
    run(timeoutNanos, true, waiting);
  }

  /** Runs an action that writes to the client. */
  void whileWaiting(long timeoutNanos, BlockingAction waiting) {
    run(timeoutNanos, false, waiting);
  }

  private void run(long timeoutNanos, boolean toRead, BlockingAction waiting) {
    startWaiting(timeoutNanos, toRead);
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

  /** An action that waits for the client. */
  @FunctionalInterface
  interface BlockingAction {
    void run();
  }
}
