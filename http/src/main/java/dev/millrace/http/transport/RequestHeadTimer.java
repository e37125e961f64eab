package dev.millrace.http.transport;

import io.helidon.webserver.ConnectionContext;

/**
 * Limits the time from the first byte of a request's head to its end. Used by the one thread that
 * reads a connection.
 */
final class RequestHeadTimer implements AutoCloseable {
  private final OpenConnections connections;
  private final StallWatcher stalls;
  private final long timeoutNanos;
  private final ConnectionAddresses addresses;
  private final StallTimer stall;
  private boolean running;

  RequestHeadTimer(
      ConnectionContext context,
      OpenConnections connections,
      StallWatcher stalls,
      long timeoutNanos) {
    this.connections = connections;
    this.stalls = stalls;
    this.timeoutNanos = timeoutNanos;
    this.addresses = ConnectionAddresses.of(context);
    this.stall = stalls.open(() -> connections.shutdownInput(addresses));
  }

  /** The first bytes of a head arrived. */
  void start() {
    if (!running) {
      connections.touch(addresses);
      running = true;
      stall.startWaiting(timeoutNanos, true);
    }
  }

  /**
   * The head is complete, or the input ended.
   *
   * @return whether it took too long and reading was stopped
   */
  boolean stop() {
    if (!running) {
      return false;
    }
    running = false;
    return stall.stopWaiting();
  }

  @Override
  public void close() {
    stalls.close(stall);
  }
}
