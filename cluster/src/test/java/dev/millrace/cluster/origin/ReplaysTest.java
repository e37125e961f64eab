package dev.millrace.cluster.origin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.member.Codec;
import dev.millrace.cluster.member.ModelNeed;
import dev.millrace.cluster.place.Range;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Message.Kind;
import dev.millrace.engine.cache.KvType;
import dev.millrace.engine.pipe.Pipe;
import dev.millrace.engine.pipe.Pipe.Stretch;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
final class ReplaysTest {
  private final List<String> asked = new ArrayList<>();
  private final Replays replays =
      new Replays(
          new ModelNeed("5ha", "m", 1, List.of(1L, 1L), 1, 1),
          () -> List.of(holder("a"), holder("b"), holder("c")),
          this::refusing,
          null);

  private static Board.Holder holder(String node) {
    return new Board.Holder(node, List.of(new Range(1, 2)), 1, 0);
  }

  /** A replay at a node that will not. */
  private RemoteReplay refusing(String node) {
    asked.add(node);
    Terms terms = new Terms("5ha", "m", 1, KvType.F16, 64, 8, 32, 4, 8);
    return new RemoteReplay("origin", 2, terms, this::refuse, node, 7);
  }

  private void refuse(String node, Message message) {
    if (message.kind() == Kind.OPEN) {
      replays.received(node, new Message(Kind.REFUSED, 7, Codec.encode("no memory")));
    }
  }

  @Test
  void whoCouldNotReplayIsNotAskedAgainForAWhile() throws InterruptedException {
    Stretch stretch = new Stretch("a", 1, 2);
    Session session =
        new Session(5, 0, new Pipe(1, "origin", 2, List.of(new Stretch("origin", 0, 1), stretch)));
    Rows rows = new Rows(1);
    rows.add(0, new float[] {1}, 0);
    assertThat(replays.elsewhere(stretch, session, rows)).isNull();
    assertThat(asked).as("not the one that is audited").containsExactly("b", "c");
    assertThat(replays.elsewhere(stretch, session, rows)).isNull();
    assertThat(asked).as("nobody is waited for a second time").hasSize(2);
  }
}
