package dev.millrace.server;

import dev.millrace.core.state.IllegalTransitionException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Holds the state of a server: the only class that changes it. Thread-safe. */
final class ServerLifecycle {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  private ServerState state = ServerState.STARTING; // guarded by this
  private @Nullable ServerEvent stoppedBy; // guarded by this

  synchronized ServerState state() {
    return state;
  }

  /** The event that first made it stop; null before that. */
  synchronized @Nullable ServerEvent stoppedBy() {
    return stoppedBy;
  }

  /**
   * @throws IllegalTransitionException if the table has no such transition
   */
  synchronized void move(ServerEvent event) {
    ServerState from = state;
    state = ServerTransitions.TABLE.move(from, event);
    if (stoppedBy == null && !state.claims()) {
      stoppedBy = event;
    }
    LOG.log(Level.DEBUG, "server: " + from + " -> " + state + " (" + event + ")");
    notifyAll();
  }

  /** As {@link #move}, but returns false if the table has no such transition. */
  synchronized boolean tryMove(ServerEvent event) {
    boolean legal = ServerTransitions.TABLE.next(state, event).isPresent();
    if (legal) {
      move(event);
    }
    return legal;
  }

  synchronized void awaitStopped() throws InterruptedException {
    while (state != ServerState.STOPPED) {
      wait();
    }
  }

  /** False if it has not stopped by then. */
  synchronized boolean awaitStopped(Duration atMost) throws InterruptedException {
    long end = System.nanoTime() + atMost.toNanos();
    while (state != ServerState.STOPPED) {
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }
}
