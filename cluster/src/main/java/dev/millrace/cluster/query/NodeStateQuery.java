package dev.millrace.cluster.query;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.internal.connection.CallClient;
import dev.millrace.cluster.internal.connection.CallHandler;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import dev.millrace.cluster.internal.protocol.LengthPrefixed;
import dev.millrace.cluster.internal.protocol.WireCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/** The question for all that a member knows, for commands that are no members themselves. */
public final class NodeStateQuery {
  public static final String CALL = "state";

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int MAX_MEMBERS = 4_096;

  private NodeStateQuery() {}

  /** The states of all live members, by name, as the one at that address knows them. */
  public static List<NodeState> query(SSLContext tls, HostPort at) {
    return CallClient.call(
        NodeIdentity.command(tls, false),
        at,
        CALL,
        PATIENCE,
        (in, out) -> {
          int count = in.readInt();
          if (count < 0 || count > MAX_MEMBERS) {
            throw new ClusterException("%s tells of %d members".formatted(at, count));
          }
          List<NodeState> states = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            states.add(WireCodec.state(LengthPrefixed.read(in, WireCodec.MAX_STATE_BYTES)));
          }
          return states;
        });
  }

  public static CallHandler answering(Supplier<List<NodeState>> known) {
    return (from, in, out) -> {
      List<NodeState> states = known.get();
      out.writeInt(states.size());
      for (NodeState state : states) {
        LengthPrefixed.write(out, WireCodec.encode(state));
      }
    };
  }
}
