package dev.millrace.cluster.internal.connection;

import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Cuts a connection unless it is closed in time. Timeouts of a socket's reads are not enough: they
 * begin anew with each byte, and writes have none.
 */
final class ConnectionDeadline implements AutoCloseable {
  private enum State {
    RUNNING,
    KEPT,
    PASSED
  }

  private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);
  private final Thread watch;

  ConnectionDeadline(Duration time, Socket plain) {
    watch = Thread.ofVirtual().name("millrace-deadline").start(() -> watch(time, plain));
  }

  private void watch(Duration time, Socket plain) {
    try {
      Thread.sleep(time);
      if (state.compareAndSet(State.RUNNING, State.PASSED)) {
        TlsConnection.closeNow(plain);
      }
    } catch (InterruptedException e) {
      // Kept.
    }
  }

  boolean passed() {
    return state.get() == State.PASSED;
  }

  /** Stops the clock: whether it was in time. */
  boolean stopInTime() {
    if (state.compareAndSet(State.RUNNING, State.KEPT)) {
      watch.interrupt();
    }
    return !passed();
  }

  @Override
  public void close() {
    stopInTime();
  }
}
