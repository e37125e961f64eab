package dev.millrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.internal.layers.FakeLoadedLayers;
import dev.millrace.cluster.internal.layers.LayerEntry;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.protocol.OpenSessionRequest;
import dev.millrace.cluster.internal.protocol.SessionParameters;
import dev.millrace.cluster.internal.protocol.SessionParameters.BatchShape;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.numerics.NumericsVersion;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Opening sessions: limits, refusals, and requests that wait. */
final class NodeSessionsTest {
  private final InMemoryNodes nodes = new InMemoryNodes();

  @Test
  void sessionsOverTheMemoryOrTheirNumberAreRefused() {
    InMemoryNodes.Node node = nodes.node("a", 700, 2);
    node.holds(1, 4);
    SteppedOrigin origin = new SteppedOrigin(nodes, "o", 1, "oaaa");
    OpenSessionRequest opening = origin.opening();
    nodes.open("o", "a", 1, InMemoryNodes.opening(opening.pipe(), 14, new BatchShape(64, 8, 2)));
    assertThat(origin.recorder.refusal())
        .isEqualTo(
            "14 pages for keys and values need 420 bytes, but only 400 bytes of the 700 bytes that"
                + " this node may use are free; start node a with a larger --memory, or the server"
                + " with fewer --slots or less --ctx");
    for (int i = 1; i <= 2; i++) {
      nodes.open("o", "a", i, InMemoryNodes.opening(opening.pipe(), 2, new BatchShape(64, 8, 2)));
      origin.recorder.next(Kind.OPENED);
    }
    nodes.open("o", "a", 3, InMemoryNodes.opening(opening.pipe(), 1, new BatchShape(64, 8, 2)));
    assertThat(origin.recorder.refusal())
        .isEqualTo(
            "2 sessions are open, as many as node a may have; wait, or start it with a larger"
                + " --max-origins");
    nodes.open("o", "a", 2, InMemoryNodes.opening(opening.pipe(), 1, new BatchShape(64, 8, 2)));
    assertThat(origin.recorder.refusal()).contains("a session with this number is open");
    origin.close("a"); // the first
    nodes.open("o", "a", 3, InMemoryNodes.opening(opening.pipe(), 1, new BatchShape(64, 8, 2)));
    origin.recorder.next(Kind.OPENED);
    assertThat(node.budget.used()).isEqualTo(300 + 60 + 30);
  }

  @Test
  void requestsBeyondTheLimitsAreRefusedWithTheField() {
    nodes.node("a").holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(nodes, "o", 1, "oaaa");
    OpenSessionRequest good = origin.opening();
    refused(
        InMemoryNodes.opening(good.pipe(), 8, new BatchShape(4097, 8, 2)),
        "maxRows is 4097; it must be 1 to 4096");
    refused(
        InMemoryNodes.opening(good.pipe(), 8, new BatchShape(64, 65, 2)),
        "maxRuns is 65; it must be 1 to 64");
    refused(
        InMemoryNodes.opening(good.pipe(), 8, new BatchShape(64, 8, 65)),
        "inFlight is 65; it must be 1 to 64");
    refused(
        InMemoryNodes.opening(good.pipe(), (1 << 20) + 1, new BatchShape(64, 8, 2)),
        "pages is 1048577; it must be 1 to 1048576");
    OpenSessionRequest other =
        new OpenSessionRequest(
            new SessionParameters(
                InMemoryNodes.SHA,
                "fake",
                NumericsVersion.of(2),
                good.parameters().cache(),
                good.parameters().batch()),
            good.pipe());
    refused(
        other,
        "the origin uses version 2 of the arithmetic, this node has 1: run the same release");
    refused(
        InMemoryNodes.opening(InMemoryNodes.plan(7, "x", "xaaa")), "may open its session, not o");
    refused(InMemoryNodes.opening(InMemoryNodes.plan(7, "o", "obbb")), "no layers at this node");
    refused(
        InMemoryNodes.opening(InMemoryNodes.plan(7, "o", "oaaaa")),
        "layer 4 of model fake (hash abababababab) is not on this node");
    refused(
        InMemoryNodes.opening(InMemoryNodes.plan(7, "o", "oaa")),
        "the plan is for 3 layers, model fake has 4");
    Pipe gap = new Pipe(7, "o", 4, List.of(new Pipe.NodeLayers("a", 1, 4)));
    refused(InMemoryNodes.opening(gap), "the plan has gaps");
    InMemoryNodes.MessageRecorder recorder = nodes.recorder("o");
    nodes.send("o", "a", Kind.OPEN, 1, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    nodes.work();
    assertThat(recorder.refusal()).startsWith("OPEN cannot be read: ");
  }

  @Test
  void aVersionOfAFormatMattersToNodesWhoseLayersHaveIt() {
    InMemoryNodes.Node node = nodes.node("a");
    FakeLoadedLayers weights = node.holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(nodes, "o", 1, "oaaa");
    OpenSessionRequest good = origin.opening();
    OpenSessionRequest raised =
        new OpenSessionRequest(
            new SessionParameters(
                InMemoryNodes.SHA,
                "fake",
                NumericsVersion.of(1).with("q8_0", 2),
                good.parameters().cache(),
                good.parameters().batch()),
            good.pipe());
    weights.formats = Set.of("q4_0", "q8_0");
    refused(
        raised,
        "the origin uses version 2 of the arithmetic of Q8_0 weights, this node has 1: run the same"
            + " release");
    weights.formats = Set.of("q4_0", "q6_k");
    InMemoryNodes.MessageRecorder recorder = nodes.recorder("o");
    nodes.open("o", "a", 1, raised);
    recorder.next(Kind.OPENED);
  }

  private void refused(OpenSessionRequest opening, String text) {
    InMemoryNodes.MessageRecorder recorder = nodes.recorder("o");
    nodes.open("o", "a", 1, opening);
    assertThat(recorder.refusal()).contains(text);
  }

  @Test
  void sessionOfLayersThatAreStillComingIsRefused() {
    InMemoryNodes.Node node = nodes.node("a");
    node.holds(1, 2);
    node.stock.load(
        LayerEntry.requested(InMemoryNodes.SHA, "fake", new LayerRange(2, 4), 1000, 200));
    SteppedOrigin origin = new SteppedOrigin(nodes, "o", 1, "oaaa");
    nodes.open("o", "a", 1, origin.opening());
    assertThat(origin.recorder.refusal()).isEqualTo("layers 2-3 are still loading");
    node.supply.load(node.supply.order.getLast());
    nodes.work();
    origin.open();
    assertThat(origin.generate(SteppedOrigin.PROMPT, SteppedOrigin.COUNT))
        .as("over two holdings")
        .isEqualTo(SteppedOrigin.alone(SteppedOrigin.PROMPT));
  }

  @Test
  void anOpenRequestWaitsForMembersThatAreNotKnownYet() {
    InMemoryNodes.Node node = nodes.node("a");
    node.holds(0, 4);
    nodes.node("b").holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(nodes, "o", 1, "oaab");
    node.sessions.setMembers(Set.of("a", "o"));
    nodes.open("o", "a", 1, origin.opening());
    assertThat(origin.recorder.messages).isEmpty();
    node.sessions.setMembers(Set.of("a", "b", "o"));
    nodes.work();
    origin.recorder.next(Kind.OPENED);
    node.sessions.setMembers(Set.of("a", "o"));
    nodes.open("o", "a", 2, origin.opening());
    node.now += PendingOpens.VIEW_NANOS;
    node.sessions.retryPending();
    nodes.work();
    origin.recorder.next(Kind.OPENED); // for all its links stand
    nodes.open("o", "a", 3, origin.opening());
    nodes.send("o", "a", Kind.CLOSE, 3, ByteBuffer.allocate(0));
    nodes.work();
    node.now += PendingOpens.VIEW_NANOS;
    node.sessions.retryPending();
    assertThat(node.sessions.find(3)).as("closed while it waited").isNull();
  }

  @Test
  void anOpenRequestIsAnsweredWhenTheNextLinksAreOpen() {
    InMemoryNodes.Node node = nodes.node("a");
    FakeLoadedLayers weights = node.holds(0, 3);
    nodes.node("b").holds(3, 4);
    SteppedOrigin origin = new SteppedOrigin(nodes, "o", 1, "oaab");
    node.dialsSlowly = true;
    nodes.open("o", "a", 1, origin.opening());
    assertThat(origin.recorder.messages).as("b is being dialled").isEmpty();
    node.dialing.remove().run();
    nodes.work();
    origin.recorder.next(Kind.OPENED);
    nodes.open("o", "a", 2, origin.opening());
    nodes.send("o", "a", Kind.CLOSE, 2, ByteBuffer.allocate(0));
    node.dialing.remove().run();
    nodes.work();
    assertThat(origin.recorder.messages).as("closed meanwhile").isEmpty();
    assertThat(weights.open).isEqualTo(1);
  }

  @Test
  void anOpenRequestWithAnUnreachableNextNodeKeepsNothing() {
    InMemoryNodes.Node node = nodes.node("a", 1000, 4);
    FakeLoadedLayers weights = node.holds(0, 3);
    SteppedOrigin origin = new SteppedOrigin(nodes, "o", 1, "oaab");
    nodes.unreachable.add("b");
    nodes.open("o", "a", 1, origin.opening());
    assertThat(WireCodec.decodeTexts(origin.recorder.next(Kind.UNREACHED).body(), 2))
        .containsExactly("b", "it is silent");
    assertThat(origin.recorder.messages).isEmpty();
    assertThat(weights.open).isZero();
    assertThat(node.budget.used()).isEqualTo(300);
  }

  @Test
  void sessionThatCannotBeMadeKeepsNothing() {
    InMemoryNodes.Node node =
        nodes.node(
            "a",
            segment -> {
              throw new IllegalStateException("no segment today");
            });
    FakeLoadedLayers weights = node.holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(nodes, "o", 1, "oaaa");
    nodes.open("o", "a", 1, origin.opening());
    assertThat(origin.recorder.refusal()).isEqualTo("no segment today");
    assertThat(weights.opened).as("with the trial of its speed").isEqualTo(2);
    assertThat(weights.open).isZero();
    assertThat(node.stock.describe().getFirst().idle()).isTrue();
  }

  @Test
  void aNodeThatIsStuckInAStepRefusesSessions() {
    InMemoryNodes.MessageRecorder other = nodes.recorder("p");
    OpenSessionRequest opening = InMemoryNodes.opening(InMemoryNodes.plan(7, "p", "paaa"));
    InMemoryNodes.Node[] stuck = new InMemoryNodes.Node[1];
    stuck[0] =
        nodes.node(
            "a",
            segment ->
                new HookedSegment(
                    segment,
                    () -> {
                      stuck[0].now += TimeUnit.SECONDS.toNanos(NodeSessions.STUCK_SECONDS - 1);
                      nodes.send("p", "a", Kind.OPEN, 2, WireCodec.encode(opening));
                      assertThat(other.messages).as("it may be a long step").isEmpty();
                      stuck[0].now += TimeUnit.SECONDS.toNanos(1);
                      nodes.send("p", "a", Kind.OPEN, 3, WireCodec.encode(opening));
                      assertThat(other.refusal())
                          .startsWith("node a has been stuck in a step for 60 s");
                    },
                    batch -> {}));
    stuck[0].holds(0, 4);
    SteppedOrigin origin = nodes.openOrigin("oaaa");
    SteppedOrigin.Sequence sequence = origin.begin(SteppedOrigin.PROMPT);
    sequence.step();
    nodes.work();
    sequence.finish();
    assertThat(sequence.generated()).hasSize(1);
    other.next(Kind.OPENED); // the one that waited
    assertThat(stuck[0].sessions.stuckReason()).isNull();
  }
}
