package dev.millrace.cluster.member;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.wire.HostPort;
import dev.millrace.cluster.wire.Switchboard;
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

  static Answer ask(Switchboard switchboard, HostPort at, long incarnation) {
    Answer answer =
        switchboard.call(
            at,
            CALL,
            PATIENCE,
            (in, out) -> {
              out.writeLong(incarnation);
              return decode(Framed.read(in, LIMIT));
            });
    if (answer.kind() == Answer.Kind.REFUSED) {
      throw ClusterException.refused("%s refused us: %s".formatted(at, answer.text()), null);
    }
    return answer;
  }

  static void answer(DataOutputStream out, Answer answer) throws IOException {
    Encoder encoder = new Encoder().number(answer.kind().ordinal()).reason(answer.text(), TEXT);
    Framed.write(out, encoder.list(answer.members(), MEMBERS, Codec::write).done());
  }

  private static Answer decode(ByteBuffer bytes) {
    Decoder in = new Decoder("the answer to a join", bytes);
    return in.done(
        new Answer(
            in.oneOf(Answer.Kind.values()), in.text(TEXT), in.list(MEMBERS, Codec::address)));
  }
}
