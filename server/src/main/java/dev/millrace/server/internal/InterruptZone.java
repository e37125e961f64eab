package dev.millrace.server.internal;

import org.jspecify.annotations.Nullable;

/**
 * Limits interrupts of a thread to a part of its code. An interrupt outside of this zone is kept
 * until the next entry: during a file operation of the store it would close the file's channel. One
 * thread at a time enters and leaves; any thread interrupts.
 */
public final class InterruptZone {
  private @Nullable Thread inside; // guarded by this
  private boolean pending; // guarded by this

  public synchronized void enter() {
    inside = Thread.currentThread();
    if (pending) {
      pending = false;
      inside.interrupt();
    }
  }

  /** Ends the zone; an interrupt that the thread has not noticed is kept. */
  public synchronized void leave() {
    inside = null;
    pending |= Thread.interrupted();
  }

  public synchronized void interrupt() {
    if (inside == null) {
      pending = true;
    } else {
      inside.interrupt();
    }
  }

  /** Runs {@code action} outside of the zone, if the calling thread is inside. */
  public void shield(Runnable action) {
    if (!isInside()) {
      action.run();
      return;
    }
    leave();
    try {
      action.run();
    } finally {
      enter();
    }
  }

  private synchronized boolean isInside() {
    return inside == Thread.currentThread();
  }
}
