package dev.millrace.cluster.internal.transfer;

import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.internal.link.PeerConnections;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;

/** Makes the calls of a fetch to its peers. */
@FunctionalInterface
public interface PeerCalls {
  /** The caller's side of one call. */
  @FunctionalInterface
  interface Exchange {
    void exchange(DataInputStream in, DataOutputStream out) throws IOException;
  }

  /** Calls a peer's {@link ModelServer}; any failure is an exception. */
  void call(HostPort at, Exchange exchange) throws IOException;

  /**
   * Calls over the connections of a node.
   *
   * @param timeout how long a peer may be silent
   */
  static PeerCalls over(PeerConnections connections, Duration timeout) {
    return (at, exchange) ->
        connections.call(
            at,
            ModelServer.CALL,
            timeout,
            (in, out) -> {
              exchange.exchange(in, out);
              return true;
            });
  }
}
