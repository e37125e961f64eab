package dev.millrace.cluster.member;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.wire.CallHandler;
import dev.millrace.cluster.wire.Calls;
import dev.millrace.cluster.wire.HostPort;
import dev.millrace.cluster.wire.Identity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/** The question for all that a member knows, for commands that are no members themselves. */
public final class StateCall {
  static final String CALL = "state";

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int MAX_MEMBERS = 4_096;

  private StateCall() {}

  /** The states of all live members, by name, as the one at that address knows them. */
  public static List<NodeState> ask(SSLContext tls, HostPort at) {
    return Calls.call(
        Identity.command(tls, false),
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
            states.add(Codec.state(Framed.read(in, Codec.MAX_STATE_BYTES)));
          }
          return states;
        });
  }

  static CallHandler answering(Supplier<List<NodeState>> known) {
    return (from, in, out) -> {
      List<NodeState> states = known.get();
      out.writeInt(states.size());
      for (NodeState state : states) {
        Framed.write(out, Codec.encode(state));
      }
    };
  }
}
