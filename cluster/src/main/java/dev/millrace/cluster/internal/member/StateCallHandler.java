package dev.millrace.cluster.internal.member;

import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.internal.connection.CallHandler;
import dev.millrace.cluster.internal.protocol.LengthPrefixed;
import dev.millrace.cluster.internal.protocol.WireCodec;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;

/** Answers the call {@code state} with the states of all known nodes. */
final class StateCallHandler implements CallHandler {
  private final Supplier<List<NodeState>> known;

  StateCallHandler(Supplier<List<NodeState>> known) {
    this.known = known;
  }

  @Override
  public void answer(String from, DataInputStream in, DataOutputStream out) throws IOException {
    List<NodeState> states = known.get();
    out.writeInt(states.size());
    for (NodeState state : states) {
      LengthPrefixed.write(out, WireCodec.encode(state));
    }
  }
}
