package dev.millrace.cli.model;

import static dev.millrace.cli.network.NodeStateFixtures.coming;
import static dev.millrace.cli.network.NodeStateFixtures.failed;
import static dev.millrace.cli.network.NodeStateFixtures.holding;
import static dev.millrace.cli.network.NodeStateFixtures.loaded;
import static dev.millrace.cli.network.NodeStateFixtures.node;
import static dev.millrace.cli.network.NodeStateFixtures.origin;
import static dev.millrace.cli.network.NodeStateFixtures.pipe;
import static dev.millrace.cli.network.NodeStateFixtures.stretch;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.network.NodeStateFixtures;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.OriginStats;
import dev.millrace.server.infer.model.NodeNetwork;
import dev.millrace.server.infer.model.NodeNetwork.Layers;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The server shows of a network what the commands show. */
class NodeNetworkReaderTest {
  private static final OriginStats STATS =
      new OriginStats(
          List.of(),
          1,
          2,
          List.of("liar"),
          new OriginStats.PipeCounts(1, 0, 0, 0, 0),
          new OriginStats.AuditCounts(9, 1, 1, 2),
          new OriginStats.Traffic(0, 0, 0));

  private final List<NodeState> states =
      List.of(
          holding(node("a", 5100), loaded(1, 3), coming(3, 4), failed("no such file")),
          origin(
              node("home", 5200),
              pipe("layers 4-6 are missing", stretch("home", 0, 1), stretch("a", 1, 3)),
              pipe("")));

  private final NodeNetwork network = NodeNetworkReader.read(states, STATS, 0.25);

  @Test
  void nodesHaveTheirLayersWithBothEndsIncluded() {
    NodeNetwork.Node a = network.nodes().getFirst();
    assertThat(a.name()).isEqualTo("a");
    assertThat(a.address()).isEqualTo("127.0.0.1:5100");
    assertThat(a.memoryBytes()).isEqualTo(1L << 30);
    assertThat(a.usedBytes()).isEqualTo(256L << 20);
    assertThat(a.cacheBytes()).isEqualTo(1 << 20);
    assertThat(a.sessions()).isEqualTo(1);
    assertThat(a.passages()).isEqualTo(3);
    assertThat(a.protocol()).isEqualTo(1);
    assertThat(a.numerics()).isEqualTo(2);
    assertThat(a.weightNumerics()).isEqualTo("q8_0=1+2");
    assertThat(a.holdings())
        .extracting(NodeNetwork.Holding::state)
        .containsExactly("loaded", "fetching", "failed");
    assertThat(a.holdings().getFirst())
        .isEqualTo(
            new NodeNetwork.Holding(
                "house",
                NodeStateFixtures.HOUSE,
                new Layers(1, 2),
                7,
                "loaded",
                3 << 20,
                3L << 29,
                ""));
    assertThat(a.holdings().getLast().problem()).isEqualTo("no such file");
    assertThat(a.originOf()).isEmpty();
    assertThat(network.nodes().getLast().originOf())
        .containsExactly(new NodeNetwork.EndModel("house", 7, 1));
  }

  /** A layer that is being loaded is not missing. */
  @Test
  void pipesSayWhoComputesWhatAndWhatIsMissing() {
    NodeNetwork.Pipe waiting = network.pipes().getFirst();
    assertThat(waiting.origin()).isEqualTo("home");
    assertThat(waiting.ready()).isFalse();
    assertThat(waiting.waitReason()).isEqualTo("layers 4-6 are missing");
    assertThat(waiting.stretches())
        .containsExactly(
            new NodeNetwork.Stretch("home", new Layers(0, 0)),
            new NodeNetwork.Stretch("a", new Layers(1, 2)));
    assertThat(waiting.missing()).containsExactly(new Layers(4, 6));
    assertThat(network.pipes().getLast().ready()).isTrue();
  }

  @Test
  void auditsAreThoseOfThisServer() {
    assertThat(network.audits()).isEqualTo(new NodeNetwork.Audits(0.25, 7, 2, List.of("liar")));
  }
}
