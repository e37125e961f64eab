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

/** What is said when a node asks another whether it may be a member, and where the others are. */
final class JoinCall {
  static final String CALL = "join";

  /** Asks whether a node is alive, which answers by its incarnation. */
  static final String ALIVE = "alive";

  private static final Duration PATIENCE = Duration.ofSeconds(8);
  private static final int LIMIT = 1 << 20;
  private static final int MEMBERS = 4_096;
  private static final int TEXT = 1_000;

  private JoinCall() {}

  /**
   * An answer.
   *
   * @param kind of it
   * @param text why not, or else the name of who answers
   * @param members where memberships listen
   */
  record Answer(Kind kind, String text, List<HostPort> members) {
    enum Kind {
      /** No. */
      REFUSED,
      /** It is not a member of anything yet. */
      JOINING,
      WELCOME
    }
  }

  static Answer ask(PeerConnections switchboard, HostPort at, long incarnation) {
    Answer answer =
        switchboard.call(
            at,
            CALL,
            PATIENCE,
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
