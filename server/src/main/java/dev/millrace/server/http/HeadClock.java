package dev.millrace.server.http;

import io.helidon.webserver.ConnectionContext;

/**
 * The time that the head of a request may take to arrive, from its first byte. Used by the one
 * thread that reads a connection.
 */
final class HeadClock implements AutoCloseable {
  private final Connections connections;
  private final Stalls stalls;
  private final long patience;
  private final Ends ends;
  private final Stall stall;
  private boolean running;

  HeadClock(ConnectionContext context, Connections connections, Stalls stalls, long patience) {
    this.connections = connections;
    this.stalls = stalls;
    this.patience = patience;
    this.ends = Ends.of(context);
    this.stall = stalls.open(() -> connections.endReading(ends));
  }

  /** The first bytes of a head are there. */
  void start() {
    if (!running) {
      connections.touch(ends);
      running = true;
      stall.enter(patience, true);
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
    return stall.leave();
  }

  @Override
  public void close() {
    stalls.close(stall);
  }
}
