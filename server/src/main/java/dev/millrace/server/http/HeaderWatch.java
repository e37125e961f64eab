package dev.millrace.server.http;

import io.helidon.http.Headers;
import io.helidon.http.HttpPrologue;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http1.Http1ConnectionListener;
import org.jspecify.annotations.Nullable;

/** Gives up clients of HTTP/1.1 that begin a request and then let their header fields drip. */
final class HeaderWatch implements Http1ConnectionListener {
  private final Connections connections;
  private final Stalls stalls;
  private final long patience;

  /** A connection is one virtual thread, and ends with it. */
  private final ThreadLocal<@Nullable Stall> current = new ThreadLocal<>();

  HeaderWatch(Connections connections, Stalls stalls, long patience) {
    this.connections = connections;
    this.stalls = stalls;
    this.patience = patience;
  }

  @Override
  public void prologue(ConnectionContext context, HttpPrologue prologue) {
    connections.touch(context.remotePeer().address());
    Stall stall = stalls.open();
    current.set(stall);
    stall.enter(patience);
  }

  @Override
  public void headers(ConnectionContext context, Headers headers) {
    Stall stall = current.get();
    if (stall != null) {
      current.remove();
      stalls.close(stall);
    }
  }
}
