package dev.millrace.cluster.transfer;

import dev.millrace.cluster.wire.HostPort;
import dev.millrace.cluster.wire.Switchboard;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;

/** How a fetch reaches its peers. */
@FunctionalInterface
public interface Lines {
  /** What is said over a line. */
  @FunctionalInterface
  interface Talk {
    void talk(DataInputStream in, DataOutputStream out) throws IOException;
  }

  /** Calls a peer's {@link ModelServer}; whatever fails is an exception. */
  void call(HostPort at, Talk talk) throws IOException;

  /**
   * Calls of a switchboard.
   *
   * @param patience how long a peer may say nothing
   */
  static Lines over(Switchboard switchboard, Duration patience) {
    return (at, talk) ->
        switchboard.call(
            at,
            ModelServer.CALL,
            patience,
            (in, out) -> {
              talk.talk(in, out);
              return true;
            });
  }
}
