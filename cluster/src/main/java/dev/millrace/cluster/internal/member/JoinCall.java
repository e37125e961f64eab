package dev.millrace.cluster.internal.member;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.internal.link.PeerConnections;
import dev.millrace.cluster.internal.protocol.LengthPrefixed;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.cluster.internal.protocol.WireDecoder;
import dev.millrace.cluster.internal.protocol.WireEncoder;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/**
 * The call with which a node asks a member whether it may join the network, and where the other
 * members are.
 */
final class JoinCall {
  static final String CALL = "join";

  /** The call that asks whether a node is alive; the answer is its incarnation. */
  static final String ALIVE = "alive";

  private static final Duration TIMEOUT = Duration.ofSeconds(8);
  private static final int LIMIT = 1 << 20;
  private static final int MEMBERS = 4_096;
  private static final int TEXT = 1_000;

  private JoinCall() {}

  /**
   * An answer.
   *
   * @param kind of the answer
   * @param text the reason of a refusal, otherwise the name of the answering node
   * @param members addresses of memberships
   */
  record Answer(Kind kind, String text, List<HostPort> members) {
    enum Kind {
      /** The node may not join. */
      REFUSED,
      /** The asked node has not joined yet itself. */
      JOINING,
      WELCOME
    }
  }

  static Answer ask(PeerConnections connections, HostPort at, long incarnation) {
    Answer answer =
        connections.call(
            at,
            CALL,
            TIMEOUT,
            (in, out) -> {
              out.writeLong(incarnation);
              return decode(LengthPrefixed.read(in, LIMIT));
            });
    if (answer.kind() == Answer.Kind.REFUSED) {
      throw ClusterException.refused("%s refused us: %s".formatted(at, answer.text()), null);
    }
    return answer;
  }

  static void answer(DataOutputStream out, Answer answer) throws IOException {
    WireEncoder encoder =
        new WireEncoder().number(answer.kind().ordinal()).truncatedText(answer.text(), TEXT);
    LengthPrefixed.write(out, encoder.list(answer.members(), MEMBERS, WireCodec::write).toBuffer());
  }

  private static Answer decode(ByteBuffer bytes) {
    WireDecoder in = new WireDecoder("the answer to a join", bytes);
    return in.requireEnd(
        new Answer(
            in.enumValue(Answer.Kind.values()),
            in.text(TEXT),
            in.list(MEMBERS, WireCodec::address)));
  }
}
