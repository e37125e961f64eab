package dev.millrace.cluster.internal.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.plan.OriginStatus;
import dev.millrace.cluster.internal.plan.PipeSession;
import dev.millrace.cluster.internal.protocol.SessionParameters;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import dev.millrace.engine.numerics.NumericsVersion;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
final class ReplayRunnerTest {
  private final List<String> asked = new ArrayList<>();
  private final ReplayRunner replays =
      new ReplayRunner(
          new ModelRequirements("5ha", "m", 1, List.of(1L, 1L), 1, 1),
          () -> List.of(holder("a"), holder("b"), holder("c")),
          this::refusing,
          null);

  private static OriginStatus.LayerHolder holder(String node) {
    return new OriginStatus.LayerHolder(node, List.of(new LayerRange(1, 2)), 1, 0);
  }

  /** A replay at a node that will not. */
  private RemoteReplay refusing(String node) {
    asked.add(node);
    SessionParameters terms =
        new SessionParameters(
            "5ha",
            "m",
            NumericsVersion.of(1),
            new SessionParameters.CacheShape(KvType.F16, 64, 8),
            new SessionParameters.BatchShape(32, 4, 8));
    return new RemoteReplay("origin", 2, terms, this::refuse, node, 7);
  }

  private void refuse(String node, NodeMessage message) {
    if (message.kind() == Kind.OPEN) {
      replays.received(node, new NodeMessage(Kind.REFUSED, 7, WireCodec.encode("no memory")));
    }
  }

  @Test
  void aNodeThatCouldNotReplayIsNotAskedAgainForAWhile() throws InterruptedException {
    NodeLayers stretch = new NodeLayers("a", 1, 2);
    PipeSession session =
        new PipeSession(
            5, 0, new Pipe(1, "origin", 2, List.of(new NodeLayers("origin", 0, 1), stretch)));
    HiddenStates rows = new HiddenStates(1);
    rows.add(0, new float[] {1}, 0);
    assertThat(replays.replayElsewhere(stretch, session, rows)).isNull();
    assertThat(asked).as("not the one that is audited").containsExactly("b", "c");
    assertThat(replays.replayElsewhere(stretch, session, rows)).isNull();
    assertThat(asked).as("nobody is waited for a second time").hasSize(2);
  }
}
