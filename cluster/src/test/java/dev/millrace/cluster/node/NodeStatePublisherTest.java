package dev.millrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NodeState;
import dev.millrace.engine.numerics.SupportedNumerics;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class NodeStatePublisherTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final InMemoryNodes nodes = new InMemoryNodes();
  private final InMemoryNodes.Node node = nodes.node("a", 1000, 4);
  private final List<String> files = new ArrayList<>();
  private final List<NodeState> published = new ArrayList<>();
  private final NodeStatePublisher telling =
      new NodeStatePublisher(
          node.budget,
          node.stock,
          node.sessions,
          () -> List.copyOf(files),
          change -> published.add(change.apply(state())));
  private long now = 5 * SECOND;

  private static NodeState state() {
    HostPort nowhere = new HostPort("127.0.0.1", 1);
    return NodeState.of("a", 1, 1, SupportedNumerics.CURRENT, nowhere, nowhere);
  }

  private List<NodeState> look() {
    published.clear();
    telling.publishChanges(now);
    return published;
  }

  @Test
  void layersAndSessionsArePublishedAtOnce() {
    assertThat(look()).hasSize(1);
    assertThat(look()).isEmpty();
    node.holds(1, 4);
    assertThat(look()).hasSize(1);
    assertThat(published.getFirst().holdings()).hasSize(1);
    assertThat(published.getFirst().used()).isEqualTo(300);
    assertThat(published.getFirst().memory()).isEqualTo(1000);
    SteppedOrigin origin = nodes.openOrigin("oaaa");
    assertThat(look()).hasSize(1);
    assertThat(published.getFirst())
        .extracting(NodeState::sessions, NodeState::cacheBytes, NodeState::used)
        .containsExactly(1, 240L, 540L);
    origin.close("a");
    assertThat(look().getFirst().sessions()).isZero();
  }

  @Test
  void numbersThatChangeWithStepsArePublishedOnceASecond() {
    node.holds(1, 4);
    SteppedOrigin origin = nodes.openOrigin("oaaa");
    look();
    SteppedOrigin.Sequence sequence = origin.begin(new int[] {3, 4, 5});
    sequence.step();
    nodes.work();
    files.add("ab");
    assertThat(look()).as("a moment later").isEmpty();
    now += SECOND;
    assertThat(look()).hasSize(1);
    assertThat(published.getFirst().sequences()).isEqualTo(1);
    assertThat(published.getFirst().files()).containsExactly("ab");
    now += SECOND;
    assertThat(look()).as("nothing has changed").isEmpty();
  }
}
