package dev.millrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.internal.layers.FakeLoadedLayers;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.protocol.AuditRecords;
import dev.millrace.cluster.internal.protocol.SessionParameters.BatchShape;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.RowHashRecorder;
import dev.millrace.engine.internal.pipe.StepEnding;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Frames of open sessions: steps, probes, audit records, and what is refused. */
final class SessionFramesTest {
  private final InMemoryNodes nodes = new InMemoryNodes();

  @Test
  void tokensOverTwoNodesAreThoseOfTheModel() {
    FakeLoadedLayers first = nodes.node("a").holds(0, 3);
    FakeLoadedLayers second = nodes.node("b").holds(2, 4);
    SteppedOrigin origin = nodes.openOrigin("oaab");
    assertThat(origin.generate(SteppedOrigin.PROMPT, SteppedOrigin.COUNT))
        .isEqualTo(SteppedOrigin.alone(SteppedOrigin.PROMPT));
    assertThat(origin.generate(SteppedOrigin.OTHER_PROMPT, SteppedOrigin.COUNT))
        .isEqualTo(SteppedOrigin.alone(SteppedOrigin.OTHER_PROMPT));
    assertThat(first.open + second.open).isEqualTo(2);
    origin.close("a");
    origin.close("b");
    assertThat(first.open + second.open).isZero();
  }

  @Test
  void twoOriginsWithTheSamePagesKeepApart() {
    InMemoryNodes.Node node = nodes.node("a");
    node.holds(0, 4);
    SteppedOrigin one = new SteppedOrigin(nodes, "o", 1, "oaaa");
    SteppedOrigin two = new SteppedOrigin(nodes, "p", 2, "ppaa");
    one.open();
    two.open();
    SteppedOrigin.Sequence first = one.begin(SteppedOrigin.PROMPT);
    SteppedOrigin.Sequence second = two.begin(SteppedOrigin.OTHER_PROMPT);
    for (int i = 0; i < SteppedOrigin.COUNT; i++) {
      first.step();
      second.step();
      nodes.work();
      first.finish();
      second.finish();
    }
    assertThat(first.generated()).isEqualTo(SteppedOrigin.alone(SteppedOrigin.PROMPT));
    assertThat(second.generated()).isEqualTo(SteppedOrigin.alone(SteppedOrigin.OTHER_PROMPT));
    assertThat(node.sessions.sequences()).isEqualTo(2);
  }

  @Test
  void brokenFrameEndsTheSessionWithTheReason() {
    InMemoryNodes.Node node = nodes.node("a");
    FakeLoadedLayers weights = node.holds(0, 4);
    SteppedOrigin origin = nodes.openOrigin("oaaa");
    origin.generate(SteppedOrigin.PROMPT, 2);
    ByteBuffer frame = origin.lastSent();
    frame.put(frame.limit() / 2, (byte) (frame.get(frame.limit() / 2) ^ 1));
    nodes.send("o", "a", Kind.FRAME, 1, frame);
    nodes.work();
    assertThat(origin.recorder.refusal()).startsWith("from node o: frame between nodes ");
    assertThat(weights.open).isZero();
    origin.open();
    assertThat(origin.generate(SteppedOrigin.PROMPT, SteppedOrigin.COUNT))
        .as("opened again")
        .isEqualTo(SteppedOrigin.alone(SteppedOrigin.PROMPT));
  }

  @Test
  void framesOfOtherNodesAreRefusedOnceAndChangeNothing() {
    nodes.node("a").holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(nodes, "o", 1, "oaaa");
    InMemoryNodes.MessageRecorder unknownNode = nodes.recorder("x");
    origin.open();
    SteppedOrigin.Sequence sequence = origin.begin(SteppedOrigin.PROMPT);
    sequence.step();
    nodes.work();
    sequence.finish();
    for (int i = 0; i < 3; i++) {
      nodes.send("x", "a", Kind.FRAME, 1, origin.lastSent());
    }
    nodes.send("x", "a", Kind.CLOSE, 1, ByteBuffer.allocate(0));
    nodes.send("x", "a", Kind.PROBE, 1, ByteBuffer.allocate(0));
    nodes.work();
    assertThat(unknownNode.refusal()).isEqualTo("no such session is open here for you");
    assertThat(origin.recorder.messages).isEmpty();
    for (int i = 1; i < SteppedOrigin.COUNT; i++) {
      sequence.step();
      nodes.work();
      sequence.finish();
    }
    assertThat(sequence.generated()).isEqualTo(SteppedOrigin.alone(SteppedOrigin.PROMPT));
  }

  @Test
  void framesOfASessionThatIsOverAreDropped() {
    SteppedOrigin origin = nodes.openOrigin("oaaa");
    origin.close("a");
    SteppedOrigin.Sequence sequence = origin.begin(SteppedOrigin.PROMPT);
    sequence.step();
    sequence.step();
    nodes.work();
    assertThat(origin.recorder.refusal()).isEqualTo("no such session is open here for you");
    assertThat(origin.recorder.messages).as("told once").isEmpty();
  }

  @Test
  void moreStepsThanAgreedEndTheSession() {
    InMemoryNodes.Node node = nodes.node("a");
    FakeLoadedLayers weights = node.holds(0, 4);
    SteppedOrigin origin = nodes.openOrigin("oaaa");
    SteppedOrigin.Sequence sequence = origin.begin(SteppedOrigin.PROMPT);
    sequence.step();
    ByteBuffer frame = origin.lastSent();
    nodes.send("o", "a", Kind.FRAME, 1, frame.duplicate());
    nodes.send("o", "a", Kind.FRAME, 1, frame.duplicate());
    nodes.work();
    assertThat(origin.recorder.refusal())
        .isEqualTo("node o sent more frames than may be in flight");
    assertThat(weights.open).isZero();
  }

  @Test
  void recordsOfASequenceAreSentUntilItIsForgotten() {
    SteppedOrigin origin = nodes.openOrigin("oaaa");
    origin.recorded = true;
    SteppedOrigin.Sequence sequence = origin.begin(SteppedOrigin.PROMPT);
    for (int i = 0; i < 3; i++) {
      sequence.step();
      nodes.work();
      sequence.finish();
    }
    AuditRecords noted = origin.records("a");
    assertThat(noted.rows())
        .extracting(RowHashRecorder.RowHashes::position)
        .containsExactly(0, 1, 2, 3, 4, 5, 6);
    origin.forget();
    assertThat(origin.records("a").rows()).isEmpty();
    nodes.recorder("x");
    nodes.send("x", "a", Kind.RECORDS_ASKED, 1, WireCodec.encode(5L));
    nodes.work();
    assertThat(origin.recorder.messages).isEmpty();
  }

  @Test
  void stepThatBuildsOnWhatIsNotHereIsReleased() {
    SteppedOrigin origin = nodes.openOrigin("oaaa");
    SteppedOrigin.Sequence sequence = origin.begin(SteppedOrigin.PROMPT);
    sequence.step();
    nodes.work();
    sequence.finish();
    origin.close("a");
    origin.open();
    sequence.step();
    nodes.work();
    StepEnding ending = sequence.finish();
    assertThat(ending.kind()).isEqualTo(StepEnding.Kind.RELEASED);
    assertThat(ending.reason()).contains("a step from position 5 on, but 0 positions are here");
  }

  @Test
  void aMissingPageIsRefusedAndTheNodeContinues() {
    nodes.node("a").holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(nodes, "o", 1, "oaaa");
    nodes.open(
        "o", "a", 1, InMemoryNodes.opening(origin.opening().pipe(), 1, new BatchShape(64, 8, 2)));
    origin.recorder.next(Kind.OPENED);
    int[] longer = IntStream.range(2, 42).toArray(); // two pages
    SteppedOrigin.Sequence sequence = origin.begin(longer);
    sequence.step();
    nodes.work();
    assertThat(sequence.finish().reason()).contains("a step in page 1, but there are 1 pages here");
    origin.close("a");
    origin.open();
    assertThat(origin.generate(SteppedOrigin.PROMPT, SteppedOrigin.COUNT))
        .isEqualTo(SteppedOrigin.alone(SteppedOrigin.PROMPT));
  }

  @Test
  void aHookMakesANodeThatSendsWrongResults() {
    nodes
        .node("a", honest -> new HookedSegment(honest, () -> {}, batch -> batch.hidden[0] += 1))
        .holds(0, 4);
    SteppedOrigin origin = nodes.openOrigin("oaaa");
    assertThat(origin.generate(SteppedOrigin.PROMPT, SteppedOrigin.COUNT))
        .isNotEqualTo(SteppedOrigin.alone(SteppedOrigin.PROMPT));
  }

  @Test
  void aProbeSaysWhatWasReceivedAndSentOn() {
    InMemoryNodes.Node node = nodes.node("a");
    node.holds(0, 4);
    SteppedOrigin origin = nodes.openOrigin("oaaa");
    assertThat(WireCodec.decodeNumbers(probed(node), 2)).containsExactly(-1, -1);
    SteppedOrigin.Sequence sequence = origin.begin(SteppedOrigin.PROMPT);
    sequence.step();
    assertThat(WireCodec.decodeNumbers(probed(node), 2)).as("it waits").containsExactly(1, -1);
    nodes.work();
    assertThat(WireCodec.decodeNumbers(probed(node), 2)).containsExactly(1, 1);
  }

  @Test
  void aProbeAnswersForEachStretchOfANode() {
    InMemoryNodes.Node node = nodes.node("a");
    node.holds(0, 4);
    InMemoryNodes.Node other = nodes.node("b");
    other.holds(0, 4);
    SteppedOrigin origin = nodes.openOrigin("oaba");
    assertThat(WireCodec.decodeNumbers(probed(node), 4)).containsExactly(-1, -1, -1, -1);
    SteppedOrigin.Sequence sequence = origin.begin(SteppedOrigin.PROMPT);
    sequence.step();
    assertThat(node.work()).isTrue();
    assertThat(WireCodec.decodeNumbers(probed(node), 4)).as("at b").containsExactly(1, 1, -1, -1);
    assertThat(other.work()).isTrue();
    assertThat(WireCodec.decodeNumbers(probed(node), 4)).as("back").containsExactly(1, 1, 1, -1);
    nodes.work();
    assertThat(WireCodec.decodeNumbers(probed(node), 4)).containsExactly(1, 1, 1, 1);
    sequence.finish();
    assertThat(sequence.generated()).hasSize(1);
  }

  @Test
  void adjacentStretchesAreComputedTogether() {
    List<Pipe.NodeLayers> stretches =
        List.of(
            new Pipe.NodeLayers("o", 0, 1),
            new Pipe.NodeLayers("a", 1, 2),
            new Pipe.NodeLayers("a", 2, 4));
    StepProgress progress = new StepProgress("a", new Pipe(1, "o", 4, stretches));
    progress.received(1, 9);
    assertThat(progress.snapshot()).containsExactly(9, -1, 9, -1);
    progress.passed(1, 9);
    assertThat(progress.snapshot()).containsExactly(9, 9, 9, 9);
  }

  private static ByteBuffer probed(InMemoryNodes.Node node) {
    NodeSession session = node.sessions.find(1);
    assertThat(session).isNotNull();
    return session.probeAnswer();
  }
}
