package dev.millrace.http.transport;

import io.helidon.webserver.ConnectionContext;

/**
 * The time that the head of a request may take to arrive, from its first byte. Used by the one
 * thread that reads a connection.
 */
final class RequestHeadTimer implements AutoCloseable {
  private final OpenConnections connections;
  private final StallWatcher stalls;
  private final long patience;
  private final ConnectionAddresses ends;
  private final StallTimer stall;
  private boolean running;

  RequestHeadTimer(
      ConnectionContext context, OpenConnections connections, StallWatcher stalls, long patience) {
    this.connections = connections;
    this.stalls = stalls;
    this.patience = patience;
    this.ends = ConnectionAddresses.of(context);
    this.stall = stalls.open(() -> connections.shutdownInput(ends));
  }

  /** The first bytes of a head are there. */
  void start() {
    if (!running) {
      connections.touch(ends);
      running = true;
      stall.startWaiting(patience, true);
    }
  }

  /**
   * The head is there, or nothing more comes.
   *
   * @return whether it took too long, so that nothing more was let in
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
