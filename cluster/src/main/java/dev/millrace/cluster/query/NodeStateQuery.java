package dev.millrace.cluster.query;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ClusterProtocol;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.internal.connection.CallClient;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import dev.millrace.cluster.internal.protocol.LengthPrefixed;
import dev.millrace.cluster.internal.protocol.WireCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;

/** Asks a node for the states of all nodes; for commands that are not members themselves. */
public final class NodeStateQuery {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int MAX_MEMBERS = 4_096;

  private NodeStateQuery() {}

  /**
   * The states of all live members, in the order of their names, as the node at that address knows
   * them.
   */
  public static List<NodeState> query(SSLContext tls, HostPort at) {
    return CallClient.call(
        NodeIdentity.command(tls, false),
        at,
        ClusterProtocol.STATE_CALL,
        TIMEOUT,
        (in, out) -> {
          int count = in.readInt();
          if (count < 0 || count > MAX_MEMBERS) {
            throw new ClusterException(
                "%s sent %d members, where 0 to 4096 are possible".formatted(at, count));
          }
          List<NodeState> states = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            states.add(WireCodec.state(LengthPrefixed.read(in, WireCodec.MAX_STATE_BYTES)));
          }
          return states;
        });
  }
}
