package dev.millrace.cluster.internal.transfer;

import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.internal.link.PeerConnections;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;

/** How a fetch reaches its peers. */
@FunctionalInterface
public interface PeerCalls {
  /** What is said over a line. */
  @FunctionalInterface
  interface Exchange {
    void exchange(DataInputStream in, DataOutputStream out) throws IOException;
  }

  /** Calls a peer's {@link ModelServer}; whatever fails is an exception. */
  void call(HostPort at, Exchange talk) throws IOException;

  /**
   * Calls of a switchboard.
   *
   * @param patience how long a peer may say nothing
   */
  static PeerCalls over(PeerConnections switchboard, Duration patience) {
    return (at, talk) ->
        switchboard.call(
            at,
            ModelServer.CALL,
            patience,
            (in, out) -> {
              talk.exchange(in, out);
              return true;
            });
  }
}
