package dev.millrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.internal.layers.FakeLoadedLayers;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.protocol.WireCodec;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What becomes of sessions when a node or an origin is lost. */
final class SessionLossTest {
  private final InMemoryNodes nodes = new InMemoryNodes();

  @Test
  void memoryReturnsWhenTheOriginIsLost() {
    InMemoryNodes.Node node = nodes.node("a", 1000, 4);
    FakeLoadedLayers weights = node.holds(1, 4);
    SteppedOrigin origin = nodes.openOrigin("oaaa");
    origin.generate(SteppedOrigin.PROMPT, 2);
    assertThat(node.budget.used()).isEqualTo(300 + 3 * 8 * FakeLoadedLayers.PAGE);
    assertThat(node.sessions.cacheBytes()).isEqualTo(240);
    node.handler.lost("x", "somebody else");
    nodes.work();
    assertThat(weights.open).isEqualTo(1);
    node.handler.lost("o", "silent for 5 s");
    nodes.work();
    assertThat(weights.open).isZero();
    assertThat(node.budget.used()).isEqualTo(300);
    assertThat(node.sessions.count()).isZero();
    assertThat(node.sessions.sequences()).isZero();
  }

  @Test
  void theSessionOfAnUnreachableOriginIsClosed() {
    InMemoryNodes.Node node = nodes.node("a");
    FakeLoadedLayers weights = node.holds(0, 4);
    SteppedOrigin origin = nodes.openOrigin("oaaa");
    nodes.unreachable.add("o");
    nodes.open("o", "a", 2, origin.opening());
    assertThat(weights.open).isEqualTo(2);
    node.sessions.undelivered(node.undelivered.remove());
    assertThat(weights.open).isEqualTo(1);
    assertThat(node.sessions.find(1)).isNotNull();
  }

  @Test
  void anUnreachableNodeIsReportedToTheOrigin() {
    nodes.node("a").holds(0, 3);
    nodes.node("b").holds(3, 4);
    SteppedOrigin origin = nodes.openOrigin("oaab");
    nodes.unreachable.add("b");
    SteppedOrigin.Sequence sequence = origin.begin(SteppedOrigin.PROMPT);
    sequence.step();
    nodes.work();
    assertThat(WireCodec.decodeTexts(origin.recorder.next(Kind.UNREACHED).body(), 2))
        .containsExactly("b", "node b is not reached");
    assertThat(origin.recorder.messages).as("no failed step").isEmpty();
  }

  @Test
  void aLostNodeIsReportedToTheOriginWithoutAStep() {
    InMemoryNodes.Node node = nodes.node("a");
    node.holds(0, 3);
    nodes.node("b").holds(3, 4);
    SteppedOrigin origin = nodes.openOrigin("oaab");
    node.handler.lost("b", "silent for 5 s");
    nodes.work();
    assertThat(WireCodec.decodeTexts(origin.recorder.next(Kind.UNREACHED).body(), 2))
        .containsExactly("b", "silent for 5 s");
    assertThat(node.sessions.count()).isEqualTo(1);
  }

  @Test
  void theLossOfANodeThatIsNotANeighbourChangesNothing() {
    InMemoryNodes.Node first = nodes.node("a");
    first.holds(0, 2);
    nodes.node("b").holds(2, 3);
    nodes.node("c").holds(3, 4);
    SteppedOrigin origin = nodes.openOrigin("oabc");
    first.handler.lost("c", "silent for 5 s");
    nodes.work();
    assertThat(origin.recorder.messages).isEmpty();
    assertThat(origin.generate(SteppedOrigin.PROMPT, SteppedOrigin.COUNT))
        .isEqualTo(SteppedOrigin.alone(SteppedOrigin.PROMPT));
    nodes.send("c", "a", Kind.FRAME, 1, origin.lastSent());
    nodes.work();
    assertThat(first.sessions.count()).isEqualTo(1);
    assertThat(origin.recorder.messages).as("frames against the plan are dropped").isEmpty();
  }

  @Test
  void anOriginThatIsNotAMemberIsServedWhileItsLinkIsOpen() {
    InMemoryNodes.Node node = nodes.node("a");
    FakeLoadedLayers weights = node.holds(0, 4);
    node.sessions.setMembers(Set.of("a", "o"));
    SteppedOrigin origin = nodes.openOrigin("oaaa");
    node.sessions.setMembers(Set.of("a"));
    assertThat(origin.generate(SteppedOrigin.PROMPT, SteppedOrigin.COUNT))
        .isEqualTo(SteppedOrigin.alone(SteppedOrigin.PROMPT));
    node.sessions.setMembers(Set.of("a", "o"));
    assertThat(weights.open).isEqualTo(1);
    node.handler.lost("o", "it restarted");
    nodes.work();
    assertThat(weights.open).isZero();
  }

  @Test
  void aNodeThatForgotTheSessionIsReportedToTheOrigin() {
    nodes.node("a").holds(0, 3);
    InMemoryNodes.Node second = nodes.node("b");
    second.holds(3, 4);
    SteppedOrigin origin = nodes.openOrigin("oaab");
    origin.close("b");
    origin.begin(SteppedOrigin.PROMPT).step();
    nodes.work();
    assertThat(WireCodec.decodeTexts(origin.recorder.next(Kind.UNREACHED).body(), 2))
        .containsExactly("b", "no such session is open here for you");
  }

  @Test
  void theStopMessageReachesTheOriginsBeforeTheEnd() {
    InMemoryNodes.Node node = nodes.node("a");
    FakeLoadedLayers weights = node.holds(0, 4);
    SteppedOrigin origin = nodes.openOrigin("oaaa");
    node.sessions.announceStop();
    assertThat(origin.recorder.refusal()).isEqualTo("node a stops");
    nodes.open("o", "a", 2, origin.opening());
    assertThat(origin.recorder.refusal()).isEqualTo("node a stops");
    node.sessions.closeAll();
    assertThat(weights.open).isZero();
  }
}
