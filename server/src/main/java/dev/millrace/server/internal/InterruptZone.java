package dev.millrace.server.internal;

import org.jspecify.annotations.Nullable;

/**
 * The stretch of code in which one thread may be interrupted. An interrupt that comes outside of it
 * waits for the next entry: in the middle of a store's file it would close the file's channel.
 * Entered and left by one thread at a time; interrupted by any.
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

  /** From here on the thread is not interrupted; an interrupt not yet noticed waits. */
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

  /** Steps out of the zone for {@code action}, if the calling thread is inside. */
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
