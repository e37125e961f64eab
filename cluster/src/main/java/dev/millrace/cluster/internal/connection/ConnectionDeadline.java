package dev.millrace.cluster.internal.connection;

import dev.millrace.engine.internal.thread.EngineThreads;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Closes a socket unless it is stopped in time. Read timeouts of a socket are not enough: they
 * restart with each byte, and writes have none.
 */
final class ConnectionDeadline implements AutoCloseable {
  private enum State {
    RUNNING,
    STOPPED,
    PASSED
  }

  private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);
  private final Thread watch;

  ConnectionDeadline(Duration time, Socket plain) {
    watch = EngineThreads.virtualWork().name("millrace-deadline").start(() -> watch(time, plain));
  }

  private void watch(Duration time, Socket plain) {
    try {
      Thread.sleep(time);
      if (state.compareAndSet(State.RUNNING, State.PASSED)) {
        TlsConnection.closeNow(plain);
      }
    } catch (InterruptedException e) {
      // Stopped in time.
    }
  }

  boolean passed() {
    return state.get() == State.PASSED;
  }

  /** Stops the clock; returns whether that was in time. */
  boolean stopInTime() {
    if (state.compareAndSet(State.RUNNING, State.STOPPED)) {
      watch.interrupt();
    }
    return !passed();
  }

  @Override
  public void close() {
    stopInTime();
  }
}
