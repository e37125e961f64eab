package dev.millrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.internal.protocol.SessionParameters.BatchShape;
import dev.millrace.cluster.internal.protocol.SessionParameters;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.internal.layers.FakeLoadedLayers;
import dev.millrace.cluster.internal.layers.LayerEntry;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.protocol.AuditRecords;
import dev.millrace.cluster.internal.protocol.OpenSessionRequest;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.engine.NumericsVersion;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.RowHashRecorder;
import dev.millrace.engine.internal.pipe.Segment;
import dev.millrace.engine.internal.pipe.StepEnding;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NodeSessionsTest {
  private static final int[] PROMPT = {5, 9, 17, 30, 44};
  private static final int[] OTHER_PROMPT = {101, 7, 8, 90, 21, 66};
  private static final int COUNT = 12;

  private final InMemoryNodes town = new InMemoryNodes();

  private static int[] alone(int[] prompt) {
    return FakeLoadedLayers.MODEL.alone(prompt, Sampling.greedy(), COUNT);
  }

  private static OpenSessionRequest with(
      OpenSessionRequest o, int pages, int rows, int runs, int inFlight) {
    return InMemoryNodes.opening(o.pipe(), pages, new BatchShape(rows, runs, inFlight));
  }

  @Test
  void tokensOverTwoNodesAreThoseOfTheModel() {
    FakeLoadedLayers first = town.node("a").holds(0, 3);
    FakeLoadedLayers second = town.node("b").holds(2, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaab");
    origin.open();
    assertThat(origin.generate(PROMPT, COUNT)).isEqualTo(alone(PROMPT));
    assertThat(origin.generate(OTHER_PROMPT, COUNT)).isEqualTo(alone(OTHER_PROMPT));
    assertThat(first.open + second.open).isEqualTo(2);
    origin.close("a");
    origin.close("b");
    assertThat(first.open + second.open).isZero();
  }

  @Test
  void twoOriginsWithTheSamePagesKeepApart() {
    InMemoryNodes.Node node = town.node("a");
    node.holds(0, 4);
    SteppedOrigin one = new SteppedOrigin(town, "o", 1, "oaaa");
    SteppedOrigin two = new SteppedOrigin(town, "p", 2, "ppaa");
    one.open();
    two.open();
    SteppedOrigin.Sequence first = one.begin(PROMPT);
    SteppedOrigin.Sequence second = two.begin(OTHER_PROMPT);
    for (int i = 0; i < COUNT; i++) {
      first.step();
      second.step();
      town.work();
      first.finish();
      second.finish();
    }
    assertThat(first.generated()).isEqualTo(alone(PROMPT));
    assertThat(second.generated()).isEqualTo(alone(OTHER_PROMPT));
    assertThat(node.sessions.sequences()).isEqualTo(2);
  }

  @Test
  void memoryReturnsWhenTheOriginIsLost() {
    InMemoryNodes.Node node = town.node("a", 1000, 4);
    FakeLoadedLayers weights = node.holds(1, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaaa");
    origin.open();
    origin.generate(PROMPT, 2);
    assertThat(node.budget.used()).isEqualTo(300 + 3 * 8 * FakeLoadedLayers.PAGE);
    assertThat(node.sessions.cacheBytes()).isEqualTo(240);
    node.desk.lost("x", "somebody else");
    town.work();
    assertThat(weights.open).isEqualTo(1);
    node.desk.lost("o", "silent for 5 s");
    town.work();
    assertThat(weights.open).isZero();
    assertThat(node.budget.used()).isEqualTo(300);
    assertThat(node.sessions.count()).isZero();
    assertThat(node.sessions.sequences()).isZero();
  }

  @Test
  void sessionsOverTheMemoryOrTheirNumberAreRefused() {
    InMemoryNodes.Node node = town.node("a", 700, 2);
    node.holds(1, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaaa");
    OpenSessionRequest opening = origin.opening();
    town.open("o", "a", 1, with(opening, 14, 64, 8, 2));
    assertThat(origin.ear.refusal())
        .isEqualTo(
            "14 pages for keys and values need 420 bytes, but only 400 bytes of the 700 bytes that"
                + " this node may use are free; start node a with a larger --memory, or the server"
                + " with fewer --slots or less --ctx");
    for (int i = 1; i <= 2; i++) {
      town.open("o", "a", i, with(opening, 2, 64, 8, 2));
      origin.ear.next(Kind.OPENED);
    }
    town.open("o", "a", 3, with(opening, 1, 64, 8, 2));
    assertThat(origin.ear.refusal())
        .isEqualTo(
            "2 sessions are open, as many as node a may have; wait, or start it with a larger"
                + " --max-origins");
    town.open("o", "a", 2, with(opening, 1, 64, 8, 2));
    assertThat(origin.ear.refusal()).contains("a session of this number is open");
    origin.close("a"); // the first
    town.open("o", "a", 3, with(opening, 1, 64, 8, 2));
    origin.ear.next(Kind.OPENED);
    assertThat(node.budget.used()).isEqualTo(300 + 60 + 30);
  }

  @Test
  void openingsThatBreakTheTermsAreRefusedByName() {
    town.node("a").holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaaa");
    OpenSessionRequest good = origin.opening();
    refused(with(good, 8, 4097, 8, 2), "maxRows is 4097; it must be 1 to 4096");
    refused(with(good, 8, 64, 65, 2), "maxRuns is 65; it must be 1 to 64");
    refused(with(good, 8, 64, 8, 65), "inFlight is 65; it must be 1 to 64");
    refused(with(good, (1 << 20) + 1, 64, 8, 2), "pages is 1048577; it must be 1 to 1048576");
    OpenSessionRequest other =
        new OpenSessionRequest(
            new SessionParameters(
                InMemoryNodes.SHA,
                "fake",
                NumericsVersion.CURRENT + 1,
                good.parameters().cache(),
                good.parameters().batch()),
            good.pipe());
    refused(other, "run the same release");
    refused(
        InMemoryNodes.opening(InMemoryNodes.plan(7, "x", "xaaa")), "opened by it alone, not by o");
    refused(InMemoryNodes.opening(InMemoryNodes.plan(7, "o", "obbb")), "no layers at this node");
    refused(
        InMemoryNodes.opening(InMemoryNodes.plan(7, "o", "oaaaa")),
        "layer 4 of model fake (hash abababababab) is not here");
    refused(
        InMemoryNodes.opening(InMemoryNodes.plan(7, "o", "oaa")),
        "the plan is for 3 layers, model fake has 4");
    Pipe gap = new Pipe(7, "o", 4, List.of(new Pipe.NodeLayers("a", 1, 4)));
    refused(InMemoryNodes.opening(gap), "the plan has gaps");
    InMemoryNodes.Ear ear = town.ear("o");
    town.send("o", "a", Kind.OPEN, 1, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    town.work();
    assertThat(ear.refusal()).startsWith("OPEN cannot be read: ");
  }

  private void refused(OpenSessionRequest opening, String text) {
    InMemoryNodes.Ear ear = town.ear("o");
    town.open("o", "a", 1, opening);
    assertThat(ear.refusal()).contains(text);
  }

  @Test
  void sessionOfLayersThatAreStillComingIsRefused() {
    InMemoryNodes.Node node = town.node("a");
    node.holds(1, 2);
    node.stock.load(
        LayerEntry.requested(InMemoryNodes.SHA, "fake", new LayerRange(2, 4), 1000, 200));
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaaa");
    town.open("o", "a", 1, origin.opening());
    assertThat(origin.ear.refusal()).isEqualTo("layers 2-3 are still loading");
    node.supply.load(node.supply.order.getLast());
    town.work();
    origin.open();
    assertThat(origin.generate(PROMPT, COUNT)).as("over two holdings").isEqualTo(alone(PROMPT));
  }

  @Test
  void brokenFrameEndsTheSessionWithTheReason() {
    InMemoryNodes.Node node = town.node("a");
    FakeLoadedLayers weights = node.holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaaa");
    origin.open();
    origin.generate(PROMPT, 2);
    ByteBuffer frame = origin.lastSent();
    frame.put(frame.limit() / 2, (byte) (frame.get(frame.limit() / 2) ^ 1));
    town.send("o", "a", Kind.FRAME, 1, frame);
    town.work();
    assertThat(origin.ear.refusal()).startsWith("from node o: frame between nodes ");
    assertThat(weights.open).isZero();
    origin.open();
    assertThat(origin.generate(PROMPT, COUNT)).as("opened anew").isEqualTo(alone(PROMPT));
  }

  @Test
  void strangersAreToldOnceAndChangeNothing() {
    town.node("a").holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaaa");
    InMemoryNodes.Ear stranger = town.ear("x");
    origin.open();
    SteppedOrigin.Sequence sequence = origin.begin(PROMPT);
    sequence.step();
    town.work();
    sequence.finish();
    for (int i = 0; i < 3; i++) {
      town.send("x", "a", Kind.FRAME, 1, origin.lastSent());
    }
    town.send("x", "a", Kind.CLOSE, 1, ByteBuffer.allocate(0));
    town.send("x", "a", Kind.PROBE, 1, ByteBuffer.allocate(0));
    town.work();
    assertThat(stranger.refusal()).isEqualTo("no such session is open here for you");
    assertThat(origin.ear.heard).isEmpty();
    for (int i = 1; i < COUNT; i++) {
      sequence.step();
      town.work();
      sequence.finish();
    }
    assertThat(sequence.generated()).isEqualTo(alone(PROMPT));
  }

  @Test
  void framesOfASessionThatIsOverAreDropped() {
    town.node("a").holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaaa");
    origin.open();
    origin.close("a");
    SteppedOrigin.Sequence sequence = origin.begin(PROMPT);
    sequence.step();
    sequence.step();
    town.work();
    assertThat(origin.ear.refusal()).isEqualTo("no such session is open here for you");
    assertThat(origin.ear.heard).as("told once").isEmpty();
  }

  @Test
  void moreStepsThanAgreedEndTheSession() {
    InMemoryNodes.Node node = town.node("a");
    FakeLoadedLayers weights = node.holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaaa");
    origin.open();
    SteppedOrigin.Sequence sequence = origin.begin(PROMPT);
    sequence.step();
    ByteBuffer frame = origin.lastSent();
    town.send("o", "a", Kind.FRAME, 1, frame.duplicate());
    town.send("o", "a", Kind.FRAME, 1, frame.duplicate());
    town.work();
    assertThat(origin.ear.refusal())
        .isEqualTo("more frames came from node o than were agreed to be under way");
    assertThat(weights.open).isZero();
  }

  @Test
  void openingWaitsAMomentForMembersThatAreNotKnownHereYet() {
    InMemoryNodes.Node node = town.node("a");
    node.holds(0, 4);
    town.node("b").holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaab");
    node.sessions.setMembers(Set.of("a", "o"));
    town.open("o", "a", 1, origin.opening());
    assertThat(origin.ear.heard).isEmpty();
    node.sessions.setMembers(Set.of("a", "b", "o"));
    town.work();
    origin.ear.next(Kind.OPENED);
    node.sessions.setMembers(Set.of("a", "o"));
    town.open("o", "a", 2, origin.opening());
    node.now += PendingOpens.VIEWS;
    node.sessions.retryPending();
    town.work();
    origin.ear.next(Kind.OPENED); // for all its links stand
    town.open("o", "a", 3, origin.opening());
    town.send("o", "a", Kind.CLOSE, 3, ByteBuffer.allocate(0));
    town.work();
    node.now += PendingOpens.VIEWS;
    node.sessions.retryPending();
    assertThat(node.sessions.find(3)).as("closed while it waited").isNull();
  }

  @Test
  void sessionOfAnOriginThatCannotBeToldIsFreed() {
    InMemoryNodes.Node node = town.node("a");
    FakeLoadedLayers weights = node.holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaaa");
    origin.open();
    town.unreachable.add("o");
    town.open("o", "a", 2, origin.opening());
    assertThat(weights.open).isEqualTo(2);
    node.sessions.undelivered(node.unsaid.remove());
    assertThat(weights.open).isEqualTo(1);
    assertThat(node.sessions.find(1)).isNotNull();
  }

  @Test
  void openingIsAnsweredWhenTheWayOnStands() {
    InMemoryNodes.Node node = town.node("a");
    FakeLoadedLayers weights = node.holds(0, 3);
    town.node("b").holds(3, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaab");
    node.dialsSlowly = true;
    town.open("o", "a", 1, origin.opening());
    assertThat(origin.ear.heard).as("b is being dialled").isEmpty();
    node.dialling.remove().run();
    town.work();
    origin.ear.next(Kind.OPENED);
    town.open("o", "a", 2, origin.opening());
    town.send("o", "a", Kind.CLOSE, 2, ByteBuffer.allocate(0));
    node.dialling.remove().run();
    town.work();
    assertThat(origin.ear.heard).as("closed meanwhile").isEmpty();
    assertThat(weights.open).isEqualTo(1);
  }

  @Test
  void openingWhoseWayOnIsCutNamesTheNodeAndKeepsNothing() {
    InMemoryNodes.Node node = town.node("a", 1000, 4);
    FakeLoadedLayers weights = node.holds(0, 3);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaab");
    town.unreachable.add("b");
    town.open("o", "a", 1, origin.opening());
    assertThat(WireCodec.decodeTexts(origin.ear.next(Kind.UNREACHED).body(), 2))
        .containsExactly("b", "it is silent");
    assertThat(origin.ear.heard).isEmpty();
    assertThat(weights.open).isZero();
    assertThat(node.budget.used()).isEqualTo(300);
  }

  @Test
  void sessionThatCannotBeMadeKeepsNothing() {
    InMemoryNodes.Node node =
        town.node(
            "a",
            segment -> {
              throw new IllegalStateException("no segment today");
            });
    FakeLoadedLayers weights = node.holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaaa");
    town.open("o", "a", 1, origin.opening());
    assertThat(origin.ear.refusal()).isEqualTo("no segment today");
    assertThat(weights.opened).as("with the trial of its speed").isEqualTo(2);
    assertThat(weights.open).isZero();
    assertThat(node.stock.describe().getFirst().idle()).isTrue();
  }

  @Test
  void nodeThatIsNotReachedIsNamedToTheOrigin() {
    town.node("a").holds(0, 3);
    town.node("b").holds(3, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaab");
    origin.open();
    town.unreachable.add("b");
    SteppedOrigin.Sequence sequence = origin.begin(PROMPT);
    sequence.step();
    town.work();
    assertThat(WireCodec.decodeTexts(origin.ear.next(Kind.UNREACHED).body(), 2))
        .containsExactly("b", "node b is not reached");
    assertThat(origin.ear.heard).as("no failed step").isEmpty();
  }

  @Test
  void nodeWhoseLinkIsLostIsNamedToTheOriginWithoutAStep() {
    InMemoryNodes.Node node = town.node("a");
    node.holds(0, 3);
    town.node("b").holds(3, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaab");
    origin.open();
    node.desk.lost("b", "silent for 5 s");
    town.work();
    assertThat(WireCodec.decodeTexts(origin.ear.next(Kind.UNREACHED).body(), 2))
        .containsExactly("b", "silent for 5 s");
    assertThat(node.sessions.count()).isEqualTo(1);
  }

  @Test
  void nodeThatIsNotBesideIsNobodysLoss() {
    InMemoryNodes.Node first = town.node("a");
    first.holds(0, 2);
    town.node("b").holds(2, 3);
    town.node("c").holds(3, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oabc");
    origin.open();
    first.desk.lost("c", "silent for 5 s");
    town.work();
    assertThat(origin.ear.heard).isEmpty();
    assertThat(origin.generate(PROMPT, COUNT)).isEqualTo(alone(PROMPT));
    town.send("c", "a", Kind.FRAME, 1, origin.lastSent());
    town.work();
    assertThat(first.sessions.count()).isEqualTo(1);
    assertThat(origin.ear.heard).as("frames against the plan are dropped").isEmpty();
  }

  @Test
  void recordsOfAPassageAreAnsweredUntilItIsForgotten() {
    town.node("a").holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaaa");
    origin.open();
    origin.recorded = true;
    SteppedOrigin.Sequence sequence = origin.begin(PROMPT);
    for (int i = 0; i < 3; i++) {
      sequence.step();
      town.work();
      sequence.finish();
    }
    AuditRecords noted = origin.records("a");
    assertThat(noted.rows())
        .extracting(RowHashRecorder.RowHashes::position)
        .containsExactly(0, 1, 2, 3, 4, 5, 6);
    origin.forget();
    assertThat(origin.records("a").rows()).isEmpty();
    town.ear("x");
    town.send("x", "a", Kind.RECORDS_ASKED, 1, WireCodec.encode(5L));
    town.work();
    assertThat(origin.ear.heard).isEmpty();
  }

  @Test
  void originThatIsNoMemberIsServedWhileItsLinkStands() {
    InMemoryNodes.Node node = town.node("a");
    FakeLoadedLayers weights = node.holds(0, 4);
    node.sessions.setMembers(Set.of("a", "o"));
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaaa");
    origin.open();
    node.sessions.setMembers(Set.of("a"));
    assertThat(origin.generate(PROMPT, COUNT)).isEqualTo(alone(PROMPT));
    node.sessions.setMembers(Set.of("a", "o"));
    assertThat(weights.open).isEqualTo(1);
    node.desk.lost("o", "it started anew");
    town.work();
    assertThat(weights.open).isZero();
  }

  @Test
  void nodeThatIsStuckInAStepRefusesOpenings() {
    InMemoryNodes.Ear other = town.ear("p");
    OpenSessionRequest opening = InMemoryNodes.opening(InMemoryNodes.plan(7, "p", "paaa"));
    InMemoryNodes.Node[] stuck = new InMemoryNodes.Node[1];
    stuck[0] =
        town.node(
            "a",
            segment ->
                new Slow(
                    segment,
                    () -> {
                      stuck[0].now += TimeUnit.SECONDS.toNanos(NodeSessions.STUCK - 1);
                      town.send("p", "a", Kind.OPEN, 2, WireCodec.encode(opening));
                      assertThat(other.heard).as("it may be a long step").isEmpty();
                      stuck[0].now += TimeUnit.SECONDS.toNanos(1);
                      town.send("p", "a", Kind.OPEN, 3, WireCodec.encode(opening));
                      assertThat(other.refusal())
                          .startsWith("node a is stuck in a step since 60 s");
                    }));
    stuck[0].holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaaa");
    origin.open();
    SteppedOrigin.Sequence sequence = origin.begin(PROMPT);
    sequence.step();
    town.work();
    sequence.finish();
    assertThat(sequence.generated()).hasSize(1);
    other.next(Kind.OPENED); // the one that waited
    assertThat(stuck[0].sessions.stuckReason()).isNull();
  }

  /** Does something else first. */
  private record Slow(Segment segment, Runnable first) implements Segment {
    @Override
    public int from() {
      return segment.from();
    }

    @Override
    public int to() {
      return segment.to();
    }

    @Override
    public int pages() {
      return segment.pages();
    }

    @Override
    public void forward(Batch batch) {
      first.run();
      segment.forward(batch);
    }
  }

  @Test
  void nodeThatForgotTheSessionIsNamedToTheOrigin() {
    town.node("a").holds(0, 3);
    InMemoryNodes.Node second = town.node("b");
    second.holds(3, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaab");
    origin.open();
    origin.close("b");
    origin.begin(PROMPT).step();
    town.work();
    assertThat(WireCodec.decodeTexts(origin.ear.next(Kind.UNREACHED).body(), 2))
        .containsExactly("b", "no such session is open here for you");
  }

  @Test
  void stepThatBuildsOnWhatIsNotHereIsReleased() {
    town.node("a").holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaaa");
    origin.open();
    SteppedOrigin.Sequence sequence = origin.begin(PROMPT);
    sequence.step();
    town.work();
    sequence.finish();
    origin.close("a");
    origin.open();
    sequence.step();
    town.work();
    StepEnding ending = sequence.finish();
    assertThat(ending.kind()).isEqualTo(StepEnding.Kind.RELEASED);
    assertThat(ending.reason()).contains("a step from position 5 on, but 0 positions are here");
  }

  @Test
  void pageThatIsNotThereIsRefusedAndTheNodeGoesOn() {
    town.node("a").holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaaa");
    town.open("o", "a", 1, with(origin.opening(), 1, 64, 8, 2));
    origin.ear.next(Kind.OPENED);
    int[] longer = IntStream.range(2, 42).toArray(); // two pages
    SteppedOrigin.Sequence sequence = origin.begin(longer);
    sequence.step();
    town.work();
    assertThat(sequence.finish().reason()).contains("a step in page 1, but there are 1 pages here");
    origin.close("a");
    origin.open();
    assertThat(origin.generate(PROMPT, COUNT)).isEqualTo(alone(PROMPT));
  }

  @Test
  void hookMakesALiar() {
    class Liar implements Segment {
      private final Segment honest;

      Liar(Segment honest) {
        this.honest = honest;
      }

      @Override
      public int from() {
        return honest.from();
      }

      @Override
      public int to() {
        return honest.to();
      }

      @Override
      public int pages() {
        return honest.pages();
      }

      @Override
      public void forward(Batch batch) {
        honest.forward(batch);
        batch.hidden[0] += 1;
      }
    }
    town.node("a", Liar::new).holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaaa");
    origin.open();
    assertThat(origin.generate(PROMPT, COUNT)).isNotEqualTo(alone(PROMPT));
  }

  @Test
  void farewellReachesTheOriginsBeforeTheEnd() {
    InMemoryNodes.Node node = town.node("a");
    FakeLoadedLayers weights = node.holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaaa");
    origin.open();
    node.sessions.announceStop();
    assertThat(origin.ear.refusal()).isEqualTo("node a stops");
    town.open("o", "a", 2, origin.opening());
    assertThat(origin.ear.refusal()).isEqualTo("node a stops");
    node.sessions.closeAll();
    assertThat(weights.open).isZero();
  }

  @Test
  void probeSaysWhatCameAndWhatWasPassedOn() {
    InMemoryNodes.Node node = town.node("a");
    node.holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaaa");
    origin.open();
    assertThat(WireCodec.decodeNumbers(probed(node), 2)).containsExactly(-1, -1);
    SteppedOrigin.Sequence sequence = origin.begin(PROMPT);
    sequence.step();
    assertThat(WireCodec.decodeNumbers(probed(node), 2)).as("it waits").containsExactly(1, -1);
    town.work();
    assertThat(WireCodec.decodeNumbers(probed(node), 2)).containsExactly(1, 1);
  }

  @Test
  void probeTellsTwoStretchesOfOneNodeApart() {
    InMemoryNodes.Node node = town.node("a");
    node.holds(0, 4);
    InMemoryNodes.Node other = town.node("b");
    other.holds(0, 4);
    SteppedOrigin origin = new SteppedOrigin(town, "o", 1, "oaba");
    origin.open();
    assertThat(WireCodec.decodeNumbers(probed(node), 4)).containsExactly(-1, -1, -1, -1);
    SteppedOrigin.Sequence sequence = origin.begin(PROMPT);
    sequence.step();
    assertThat(node.work()).isTrue();
    assertThat(WireCodec.decodeNumbers(probed(node), 4)).as("at b").containsExactly(1, 1, -1, -1);
    assertThat(other.work()).isTrue();
    assertThat(WireCodec.decodeNumbers(probed(node), 4)).as("back").containsExactly(1, 1, 1, -1);
    town.work();
    assertThat(WireCodec.decodeNumbers(probed(node), 4)).containsExactly(1, 1, 1, 1);
    sequence.finish();
    assertThat(sequence.generated()).hasSize(1);
  }

  @Test
  void stretchesThatFollowEachOtherAreGoneThroughAtOnce() {
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
