package dev.millrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.member.Codec;
import dev.millrace.cluster.member.Opening;
import dev.millrace.cluster.place.Range;
import dev.millrace.cluster.wire.Message.Kind;
import dev.millrace.engine.Numerics;
import dev.millrace.engine.cache.KvType;
import dev.millrace.engine.pipe.Batch;
import dev.millrace.engine.pipe.Ending;
import dev.millrace.engine.pipe.Pipe;
import dev.millrace.engine.pipe.Segment;
import dev.millrace.engine.pipe.Witness;
import dev.millrace.engine.sample.Sampling;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SessionsTest {
  private static final int[] PROMPT = {5, 9, 17, 30, 44};
  private static final int[] OTHER_PROMPT = {101, 7, 8, 90, 21, 66};
  private static final int COUNT = 12;

  private final Town town = new Town();

  private static int[] alone(int[] prompt) {
    return FakeWeights.MODEL.alone(prompt, Sampling.greedy(), COUNT);
  }

  private static Opening with(Opening o, int pages, int rows, int runs, int inFlight) {
    return new Opening(
        o.sha256(),
        o.model(),
        o.numerics(),
        o.pipe(),
        o.kvType(),
        o.context(),
        pages,
        rows,
        runs,
        inFlight);
  }

  @Test
  void tokensOverTwoNodesAreThoseOfTheModel() {
    FakeWeights first = town.node("a").holds(0, 3);
    FakeWeights second = town.node("b").holds(2, 4);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaab");
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
    Town.Node node = town.node("a");
    node.holds(0, 4);
    HandOrigin one = new HandOrigin(town, "o", 1, "oaaa");
    HandOrigin two = new HandOrigin(town, "p", 2, "ppaa");
    one.open();
    two.open();
    HandOrigin.Sequence first = one.begin(PROMPT);
    HandOrigin.Sequence second = two.begin(OTHER_PROMPT);
    for (int i = 0; i < COUNT; i++) {
      first.step();
      second.step();
      town.work();
      first.finish();
      second.finish();
    }
    assertThat(first.generated()).isEqualTo(alone(PROMPT));
    assertThat(second.generated()).isEqualTo(alone(OTHER_PROMPT));
    assertThat(node.sessions.passages()).isEqualTo(2);
  }

  @Test
  void memoryReturnsWhenTheOriginIsLost() {
    Town.Node node = town.node("a", 1000, 4);
    FakeWeights weights = node.holds(1, 4);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaaa");
    origin.open();
    origin.generate(PROMPT, 2);
    assertThat(node.budget.used()).isEqualTo(300 + 3 * 8 * FakeWeights.PAGE);
    assertThat(node.sessions.cacheBytes()).isEqualTo(240);
    node.desk.lost("x", "somebody else");
    town.work();
    assertThat(weights.open).isEqualTo(1);
    node.desk.lost("o", "silent for 5 s");
    town.work();
    assertThat(weights.open).isZero();
    assertThat(node.budget.used()).isEqualTo(300);
    assertThat(node.sessions.count()).isZero();
    assertThat(node.sessions.passages()).isZero();
  }

  @Test
  void sessionsOverTheMemoryOrTheirNumberAreRefused() {
    Town.Node node = town.node("a", 700, 2);
    node.holds(1, 4);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaaa");
    Opening opening = origin.opening();
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
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaaa");
    Opening good = origin.opening();
    refused(with(good, 8, 4097, 8, 2), "maxRows is 4097; it must be 1 to 4096");
    refused(with(good, 8, 64, 65, 2), "maxRuns is 65; it must be 1 to 64");
    refused(with(good, 8, 64, 8, 65), "inFlight is 65; it must be 1 to 64");
    refused(with(good, (1 << 20) + 1, 64, 8, 2), "pages is 1048577; it must be 1 to 1048576");
    Opening other =
        new Opening(
            good.sha256(), "fake", Numerics.VERSION + 1, good.pipe(), KvType.F16, 512, 8, 64, 8, 2);
    refused(other, "run the same release");
    refused(Town.opening(Town.plan(7, "x", "xaaa")), "opened by it alone, not by o");
    refused(Town.opening(Town.plan(7, "o", "obbb")), "no layers at this node");
    refused(
        Town.opening(Town.plan(7, "o", "oaaaa")),
        "layer 4 of model fake (hash abababababab) is not here");
    refused(Town.opening(Town.plan(7, "o", "oaa")), "the plan is for 3 layers, model fake has 4");
    Pipe gap = new Pipe(7, "o", 4, List.of(new Pipe.Stretch("a", 1, 4)));
    refused(Town.opening(gap), "the plan has gaps");
    Town.Ear ear = town.ear("o");
    town.send("o", "a", Kind.OPEN, 1, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    town.work();
    assertThat(ear.refusal()).startsWith("OPEN cannot be read: ");
  }

  private void refused(Opening opening, String text) {
    Town.Ear ear = town.ear("o");
    town.open("o", "a", 1, opening);
    assertThat(ear.refusal()).contains(text);
  }

  @Test
  void sessionOfLayersThatAreStillComingIsRefused() {
    Town.Node node = town.node("a");
    node.holds(1, 2);
    node.stock.hold(Held.placed(Town.SHA, "fake", new Range(2, 4), 1000, 200));
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaaa");
    town.open("o", "a", 1, origin.opening());
    assertThat(origin.ear.refusal()).isEqualTo("layers 2-3 are still loading");
    node.supply.load(node.supply.order.getLast());
    town.work();
    origin.open();
    assertThat(origin.generate(PROMPT, COUNT)).as("over two holdings").isEqualTo(alone(PROMPT));
  }

  @Test
  void brokenFrameEndsTheSessionWithTheReason() {
    Town.Node node = town.node("a");
    FakeWeights weights = node.holds(0, 4);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaaa");
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
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaaa");
    Town.Ear stranger = town.ear("x");
    origin.open();
    HandOrigin.Sequence sequence = origin.begin(PROMPT);
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
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaaa");
    origin.open();
    origin.close("a");
    HandOrigin.Sequence sequence = origin.begin(PROMPT);
    sequence.step();
    sequence.step();
    town.work();
    assertThat(origin.ear.refusal()).isEqualTo("no such session is open here for you");
    assertThat(origin.ear.heard).as("told once").isEmpty();
  }

  @Test
  void moreStepsThanAgreedEndTheSession() {
    Town.Node node = town.node("a");
    FakeWeights weights = node.holds(0, 4);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaaa");
    origin.open();
    HandOrigin.Sequence sequence = origin.begin(PROMPT);
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
    Town.Node node = town.node("a");
    node.holds(0, 4);
    town.node("b").holds(0, 4);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaab");
    node.sessions.members(Set.of("a", "o"));
    town.open("o", "a", 1, origin.opening());
    assertThat(origin.ear.heard).isEmpty();
    node.sessions.members(Set.of("a", "b", "o"));
    town.work();
    origin.ear.next(Kind.OPENED);
    node.sessions.members(Set.of("a", "o"));
    town.open("o", "a", 2, origin.opening());
    node.now += Anteroom.VIEWS;
    node.sessions.retry();
    town.work();
    origin.ear.next(Kind.OPENED); // for all its links stand
    town.open("o", "a", 3, origin.opening());
    town.send("o", "a", Kind.CLOSE, 3, ByteBuffer.allocate(0));
    town.work();
    node.now += Anteroom.VIEWS;
    node.sessions.retry();
    assertThat(node.sessions.find(3)).as("closed while it waited").isNull();
  }

  @Test
  void sessionOfAnOriginThatCannotBeToldIsFreed() {
    Town.Node node = town.node("a");
    FakeWeights weights = node.holds(0, 4);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaaa");
    origin.open();
    town.unreachable.add("o");
    town.open("o", "a", 2, origin.opening());
    assertThat(weights.open).isEqualTo(2);
    node.sessions.unsaid(node.unsaid.remove());
    assertThat(weights.open).isEqualTo(1);
    assertThat(node.sessions.find(1)).isNotNull();
  }

  @Test
  void openingIsAnsweredWhenTheWayOnStands() {
    Town.Node node = town.node("a");
    FakeWeights weights = node.holds(0, 3);
    town.node("b").holds(3, 4);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaab");
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
    Town.Node node = town.node("a", 1000, 4);
    FakeWeights weights = node.holds(0, 3);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaab");
    town.unreachable.add("b");
    town.open("o", "a", 1, origin.opening());
    assertThat(Codec.texts(origin.ear.next(Kind.UNREACHED).body(), 2))
        .containsExactly("b", "it is silent");
    assertThat(origin.ear.heard).isEmpty();
    assertThat(weights.open).isZero();
    assertThat(node.budget.used()).isEqualTo(300);
  }

  @Test
  void sessionThatCannotBeMadeKeepsNothing() {
    Town.Node node =
        town.node(
            "a",
            segment -> {
              throw new IllegalStateException("no segment today");
            });
    FakeWeights weights = node.holds(0, 4);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaaa");
    town.open("o", "a", 1, origin.opening());
    assertThat(origin.ear.refusal()).isEqualTo("no segment today");
    assertThat(weights.opened).as("with the trial of its speed").isEqualTo(2);
    assertThat(weights.open).isZero();
    assertThat(node.stock.told().getFirst().idle()).isTrue();
  }

  @Test
  void nodeThatIsNotReachedIsNamedToTheOrigin() {
    town.node("a").holds(0, 3);
    town.node("b").holds(3, 4);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaab");
    origin.open();
    town.unreachable.add("b");
    HandOrigin.Sequence sequence = origin.begin(PROMPT);
    sequence.step();
    town.work();
    assertThat(Codec.texts(origin.ear.next(Kind.UNREACHED).body(), 2))
        .containsExactly("b", "node b is not reached");
    assertThat(origin.ear.heard).as("no failed step").isEmpty();
  }

  @Test
  void nodeWhoseLinkIsLostIsNamedToTheOriginWithoutAStep() {
    Town.Node node = town.node("a");
    node.holds(0, 3);
    town.node("b").holds(3, 4);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaab");
    origin.open();
    node.desk.lost("b", "silent for 5 s");
    town.work();
    assertThat(Codec.texts(origin.ear.next(Kind.UNREACHED).body(), 2))
        .containsExactly("b", "silent for 5 s");
    assertThat(node.sessions.count()).isEqualTo(1);
  }

  @Test
  void nodeThatIsNotBesideIsNobodysLoss() {
    Town.Node first = town.node("a");
    first.holds(0, 2);
    town.node("b").holds(2, 3);
    town.node("c").holds(3, 4);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oabc");
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
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaaa");
    origin.open();
    origin.recorded = true;
    HandOrigin.Sequence sequence = origin.begin(PROMPT);
    for (int i = 0; i < 3; i++) {
      sequence.step();
      town.work();
      sequence.finish();
    }
    Testimony noted = origin.records("a");
    assertThat(noted.rows()).extracting(Witness.Row::position).containsExactly(0, 1, 2, 3, 4, 5, 6);
    origin.forget();
    assertThat(origin.records("a").rows()).isEmpty();
    town.ear("x");
    town.send("x", "a", Kind.RECORDS_ASKED, 1, Codec.encode(5L));
    town.work();
    assertThat(origin.ear.heard).isEmpty();
  }

  @Test
  void originThatIsNoMemberIsServedWhileItsLinkStands() {
    Town.Node node = town.node("a");
    FakeWeights weights = node.holds(0, 4);
    node.sessions.members(Set.of("a", "o"));
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaaa");
    origin.open();
    node.sessions.members(Set.of("a"));
    assertThat(origin.generate(PROMPT, COUNT)).isEqualTo(alone(PROMPT));
    node.sessions.members(Set.of("a", "o"));
    assertThat(weights.open).isEqualTo(1);
    node.desk.lost("o", "it started anew");
    town.work();
    assertThat(weights.open).isZero();
  }

  @Test
  void nodeThatIsStuckInAStepRefusesOpenings() {
    Town.Ear other = town.ear("p");
    Opening opening = Town.opening(Town.plan(7, "p", "paaa"));
    Town.Node[] stuck = new Town.Node[1];
    stuck[0] =
        town.node(
            "a",
            segment ->
                new Slow(
                    segment,
                    () -> {
                      stuck[0].now += TimeUnit.SECONDS.toNanos(Sessions.STUCK - 1);
                      town.send("p", "a", Kind.OPEN, 2, Codec.encode(opening));
                      assertThat(other.heard).as("it may be a long step").isEmpty();
                      stuck[0].now += TimeUnit.SECONDS.toNanos(1);
                      town.send("p", "a", Kind.OPEN, 3, Codec.encode(opening));
                      assertThat(other.refusal())
                          .startsWith("node a is stuck in a step since 60 s");
                    }));
    stuck[0].holds(0, 4);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaaa");
    origin.open();
    HandOrigin.Sequence sequence = origin.begin(PROMPT);
    sequence.step();
    town.work();
    sequence.finish();
    assertThat(sequence.generated()).hasSize(1);
    other.next(Kind.OPENED); // the one that waited
    assertThat(stuck[0].sessions.stuck()).isNull();
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
    Town.Node second = town.node("b");
    second.holds(3, 4);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaab");
    origin.open();
    origin.close("b");
    origin.begin(PROMPT).step();
    town.work();
    assertThat(Codec.texts(origin.ear.next(Kind.UNREACHED).body(), 2))
        .containsExactly("b", "no such session is open here for you");
  }

  @Test
  void stepThatBuildsOnWhatIsNotHereIsReleased() {
    town.node("a").holds(0, 4);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaaa");
    origin.open();
    HandOrigin.Sequence sequence = origin.begin(PROMPT);
    sequence.step();
    town.work();
    sequence.finish();
    origin.close("a");
    origin.open();
    sequence.step();
    town.work();
    Ending ending = sequence.finish();
    assertThat(ending.kind()).isEqualTo(Ending.Kind.RELEASED);
    assertThat(ending.reason()).contains("a step from position 5 on, but 0 positions are here");
  }

  @Test
  void pageThatIsNotThereIsRefusedAndTheNodeGoesOn() {
    town.node("a").holds(0, 4);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaaa");
    town.open("o", "a", 1, with(origin.opening(), 1, 64, 8, 2));
    origin.ear.next(Kind.OPENED);
    int[] longer = IntStream.range(2, 42).toArray(); // two pages
    HandOrigin.Sequence sequence = origin.begin(longer);
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
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaaa");
    origin.open();
    assertThat(origin.generate(PROMPT, COUNT)).isNotEqualTo(alone(PROMPT));
  }

  @Test
  void farewellReachesTheOriginsBeforeTheEnd() {
    Town.Node node = town.node("a");
    FakeWeights weights = node.holds(0, 4);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaaa");
    origin.open();
    node.sessions.farewell();
    assertThat(origin.ear.refusal()).isEqualTo("node a stops");
    town.open("o", "a", 2, origin.opening());
    assertThat(origin.ear.refusal()).isEqualTo("node a stops");
    node.sessions.closeAll();
    assertThat(weights.open).isZero();
  }

  @Test
  void probeSaysWhatCameAndWhatWasPassedOn() {
    Town.Node node = town.node("a");
    node.holds(0, 4);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaaa");
    origin.open();
    assertThat(Codec.numbers(probed(node), 2)).containsExactly(-1, -1);
    HandOrigin.Sequence sequence = origin.begin(PROMPT);
    sequence.step();
    assertThat(Codec.numbers(probed(node), 2)).as("it waits").containsExactly(1, -1);
    town.work();
    assertThat(Codec.numbers(probed(node), 2)).containsExactly(1, 1);
  }

  @Test
  void probeTellsTwoStretchesOfOneNodeApart() {
    Town.Node node = town.node("a");
    node.holds(0, 4);
    Town.Node other = town.node("b");
    other.holds(0, 4);
    HandOrigin origin = new HandOrigin(town, "o", 1, "oaba");
    origin.open();
    assertThat(Codec.numbers(probed(node), 4)).containsExactly(-1, -1, -1, -1);
    HandOrigin.Sequence sequence = origin.begin(PROMPT);
    sequence.step();
    assertThat(node.work()).isTrue();
    assertThat(Codec.numbers(probed(node), 4)).as("at b").containsExactly(1, 1, -1, -1);
    assertThat(other.work()).isTrue();
    assertThat(Codec.numbers(probed(node), 4)).as("back").containsExactly(1, 1, 1, -1);
    town.work();
    assertThat(Codec.numbers(probed(node), 4)).containsExactly(1, 1, 1, 1);
    sequence.finish();
    assertThat(sequence.generated()).hasSize(1);
  }

  @Test
  void stretchesThatFollowEachOtherAreGoneThroughAtOnce() {
    List<Pipe.Stretch> stretches =
        List.of(
            new Pipe.Stretch("o", 0, 1), new Pipe.Stretch("a", 1, 2), new Pipe.Stretch("a", 2, 4));
    Progress progress = new Progress("a", new Pipe(1, "o", 4, stretches));
    progress.received(1, 9);
    assertThat(progress.told()).containsExactly(9, -1, 9, -1);
    progress.passed(1, 9);
    assertThat(progress.told()).containsExactly(9, 9, 9, 9);
  }

  private static ByteBuffer probed(Town.Node node) {
    Session session = node.sessions.find(1);
    assertThat(session).isNotNull();
    return session.probed();
  }
}
