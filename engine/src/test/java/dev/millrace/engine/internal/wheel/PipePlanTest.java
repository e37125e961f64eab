package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.internal.pipe.FakeNetwork;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.SequenceCondition;
import dev.millrace.engine.internal.pipe.SequenceState;
import dev.millrace.engine.internal.wheel.WheelHarness.RecordingListener;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Plans that come, change and go, and several pipes at once. */
@Timeout(60)
class PipePlanTest {
  private static final Pipe HERE =
      new Pipe(9, "here", 4, List.of(new Pipe.NodeLayers("here", 0, 4)));

  private final Random random = new Random(31);

  private GenerationRequest request(int promptLength, int maxTokens) {
    return GenerationRequest.of(
            WheelHarness.prompt(random, promptLength), WheelHarness.warm(promptLength), maxTokens)
        .ignoringEnd();
  }

  private static void isAsAlone(GenerationRequest request, RecordingListener recorded) {
    assertThat(recorded.result().finish()).isEqualTo(FinishReason.LENGTH);
    assertThat(recorded.result().tokens())
        .isEqualTo(
            new WheelHarness(WheelHarness.SETTINGS).submitAndTurn(request).result().tokens());
  }

  /** A scheduler with several local pipes. */
  private static BatchLoop local(int pipes) {
    List<PipeProcessor> processors = new ArrayList<>();
    for (int i = 0; i < pipes; i++) {
      processors.add(PipeProcessor.local(WheelHarness.MODEL.cut(64, 0), WheelHarness.MODEL.end()));
    }
    return new BatchLoop(
        WheelHarness.SETTINGS,
        processors,
        WheelHarness.vocabulary(),
        shown -> WheelHarness.detokenizer(),
        () -> 0,
        null);
  }

  private static RecordingListener submit(BatchLoop wheels, GenerationRequest request) {
    RecordingListener recorded = new RecordingListener();
    recorded.generation = wheels.submit(request, recorded);
    return recorded;
  }

  private static void turnAll(BatchLoop wheels) {
    while (wheels.turn()) {
      wheels.check();
    }
  }

  @Test
  void withoutAPipeAllWaitAndStopRequestsTakeEffectAtOnce() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS);
    harness.wheel.setPlan(0, null, "no node is there");
    GenerationRequest request = request(40, 5);
    RecordingListener waits = harness.submit(request);
    RecordingListener cancelled = harness.submit(request(40, 5));
    RecordingListener released = harness.submit(request(40, 5));
    harness.turnAll();
    assertThat(harness.wheel.stats().waiting()).isEqualTo(3);
    assertThat(harness.wheel.stats().turns()).isZero();
    cancelled.generation.cancel();
    released.generation.release();
    harness.turn();
    assertThat(cancelled.result().finish()).isEqualTo(FinishReason.CANCELLED);
    assertThat(released.result().finish()).isEqualTo(FinishReason.RELEASED);
    harness.wheel.setPlan(0, HERE, "a node came");
    harness.turnAll();
    isAsAlone(request, waits);
  }

  @Test
  void aNewPlanReturnsAllSequencesToTheQueueAndDropsTheCache() {
    WheelHarness harness = WheelHarness.spread(WheelHarness.SETTINGS.withGroups(3), "oabb", 3);
    List<GenerationRequest> requests = new ArrayList<>();
    List<RecordingListener> recorded = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      requests.add(request(70 + i, 40));
      recorded.add(harness.submit(requests.getLast()));
    }
    while (recorded.getFirst().tokens.size() < 10) {
      harness.turn();
      harness.net.step();
    }
    assertThat(harness.wheel.inFlight(0)).isNotEmpty().allMatch(away -> away.epoch() == 7);
    assertThat(harness.wheel.stats().pagesUsed()).isPositive();
    harness.wheel.setPlan(0, null, "node b is lost");
    harness.turn();
    assertThat(harness.wheel.inFlight(0)).isEmpty();
    assertThat(harness.wheel.stats().waiting()).isEqualTo(4);
    assertThat(harness.wheel.stats().pagesFree()).isEqualTo(WheelHarness.SETTINGS.pages());
    Pipe next =
        new Pipe(
            8, "o", 4, List.of(new Pipe.NodeLayers("o", 0, 1), new Pipe.NodeLayers("c", 1, 4)));
    PipeProcessor other =
        new PipeProcessor("c", List.of(WheelHarness.MODEL.segment(64, 1, 4)), null, harness.net);
    other.setPlan(next);
    harness.net.join("c", other::receive);
    harness.wheel.setPlan(0, next, "node c came");
    harness.turnAll();
    for (int i = 0; i < 4; i++) {
      isAsAlone(requests.get(i), recorded.get(i));
      assertThat(recorded.get(i).result().usage().preemptions()).isZero();
    }
    assertThat(other.passageCount()).isZero();
  }

  @Test
  void aFrameOfAnotherPlanIsIgnored() {
    WheelHarness harness = WheelHarness.spread(WheelHarness.SETTINGS, "oaaa", 1);
    RecordingListener recorded = harness.submit(request(5, 3));
    harness.turn();
    harness.net.step();
    byte[] answer = harness.net.waiting("o").remove().array();
    byte[] former = answer.clone();
    ByteBuffer.wrap(former).putLong(13, 6); // the epoch
    FakeNetwork.seal(former);
    harness.wheel.receive(0, ByteBuffer.wrap(former));
    harness.turnAll();
    assertThat(recorded.tokens).isEmpty();
    assertThat(
            harness
                .processor
                .transitionCounts()
                .of(SequenceState.VALIDATING, SequenceCondition.NO_SEQUENCE))
        .isEqualTo(1);
    harness.wheel.receive(0, ByteBuffer.wrap(answer.clone()));
    harness.wheel.receive(0, ByteBuffer.wrap(answer.clone())); // one of them is late
    harness.turnAll();
    assertThat(recorded.result().tokens()).hasSize(3);
  }

  @Test
  void aCancelledSequenceAtAnotherNodeEndsWhenItIsBackOrGivenUp() {
    for (boolean back : new boolean[] {true, false}) {
      WheelHarness harness = WheelHarness.spread(WheelHarness.SETTINGS, "oaaa", 1);
      RecordingListener recorded = harness.submit(request(5, 3));
      harness.turn();
      recorded.generation.cancel();
      harness.turn();
      assertThat(recorded.generation.isDone()).isFalse();
      if (!back) {
        harness.wheel.setPlan(0, null, "node a is lost");
      }
      harness.turnAll();
      assertThat(recorded.result().finish()).isEqualTo(FinishReason.CANCELLED);
      assertThat(harness.wheel.stats().pagesUsed()).isZero();
    }
  }

  @Test
  void asManyGroupsAreInFlightAsThereAreNodesAndNoSequenceStarves() {
    WheelHarness harness =
        WheelHarness.spread(WheelHarness.SETTINGS.withGroups(8).withPages(256), "oabb", 5);
    List<RecordingListener> recorded = new ArrayList<>();
    recorded.add(harness.submit(request(4, 200)));
    while (recorded.getFirst().tokens.size() < 3) {
      harness.turn();
      harness.net.step();
      assertThat(harness.wheel.inFlight(0).size()).isLessThanOrEqualTo(1);
    }
    for (int i = 1; i < 7; i++) {
      recorded.add(harness.submit(request(4, 200)));
    }
    int most = 0;
    while (recorded.getFirst().tokens.size() < 100) {
      while (harness.turn()) {}
      most = Math.max(most, harness.wheel.inFlight(0).size());
      harness.net.step();
    }
    assertThat(most).isEqualTo(3);
    int[] counts = recorded.stream().mapToInt(h -> h.tokens.size()).toArray();
    assertThat(Arrays.stream(counts).min().orElseThrow()).isGreaterThan(85);
    long before = harness.wheel.stats().turns();
    harness.turnAll();
    // about a third of seven in each
    long turns = harness.wheel.stats().turns() - before;
    assertThat(turns).isBetween(2 * 100L, 4 * 100L);
  }

  @Test
  void aWaitingSequenceGoesToThePipeThatRunsTheFewest() {
    BatchLoop wheels = local(2);
    List<GenerationRequest> requests = new ArrayList<>();
    List<RecordingListener> recorded = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      requests.add(request(30 + i, 20));
      recorded.add(submit(wheels, requests.getLast()));
    }
    wheels.turn();
    assertThat(wheels.stats(0).admitted()).isEqualTo(3);
    assertThat(wheels.stats(1).admitted()).isEqualTo(3);
    wheels.setPlan(0, null, "it broke");
    wheels.turn();
    assertThat(wheels.stats(0).admitted()).isZero();
    assertThat(wheels.stats(1).admitted()).isEqualTo(6);
    turnAll(wheels);
    for (int i = 0; i < 6; i++) {
      isAsAlone(requests.get(i), recorded.get(i));
    }
    assertThat(wheels.stats().ended()).isEqualTo(6);
    assertThat(wheels.stats(1).ended()).isEqualTo(6);
  }

  @Test
  void revokeEndsSequencesInThePipeAndThoseWithTokensFromIt() {
    BatchLoop wheels = local(2);
    RecordingListener first = submit(wheels, request(30, 50));
    GenerationRequest other = request(31, 50);
    RecordingListener second = submit(wheels, other);
    wheels.turn();
    wheels.turn();
    wheels.setPlan(0, null, "it broke");
    wheels.turn(); // the first has tokens from pipe 0, and is in pipe 1 now
    assertThat(wheels.stats(1).admitted()).isEqualTo(2);
    wheels.revoke(0, "node a computed something else");
    turnAll(wheels);
    assertThat(first.result().finish()).isEqualTo(FinishReason.REVOKED);
    assertThat(first.result().reason()).isEqualTo("node a computed something else");
    isAsAlone(other, second);
    assertThat(wheels.stats(0).pagesCached()).isZero();
  }

  @Test
  void revokeAllEndsAllSequencesWithTokensThroughOtherNodes() {
    WheelHarness harness = WheelHarness.spread(WheelHarness.SETTINGS.withSequences(1), "oaaa", 1);
    RecordingListener first = harness.submit(request(30, 50));
    while (first.tokens.size() < 2) {
      harness.turn();
      harness.net.step();
    }
    harness.wheel.setPlan(0, null, "node a is lost");
    harness.turn();
    GenerationRequest fresh = request(31, 5);
    RecordingListener waits = harness.submit(fresh);
    RecordingListener resumed = harness.submit(request(32, 5).resumedFrom(new int[] {7}));
    harness.turn();
    harness.wheel.revokeAll("node a lied");
    harness.turn();
    for (RecordingListener recorded : List.of(first, resumed)) {
      assertThat(recorded.result().finish()).isEqualTo(FinishReason.REVOKED);
      assertThat(recorded.result().reason()).isEqualTo("node a lied");
    }
    assertThat(waits.generation.isDone()).isFalse();
    Pipe here = new Pipe(9, "o", 4, List.of(new Pipe.NodeLayers("a", 0, 4)));
    PipeProcessor whole =
        new PipeProcessor("a", List.of(WheelHarness.MODEL.segment(64, 0, 4)), null, harness.net);
    whole.setPlan(here);
    harness.net.join("a", whole::receive);
    harness.wheel.setPlan(0, here, "node a is back");
    harness.turn();
    assertThat(harness.wheel.inFlight(0)).hasSize(1);
    harness.wheel.revokeAll("node a lied again");
    harness.turnAll();
    assertThat(waits.result().finish()).isEqualTo(FinishReason.REVOKED);
    assertThat(whole.passageCount()).isZero();
    isAsAlone(fresh, harness.submitAndTurn(fresh));
  }

  @Test
  void sequencesComputedLocallyAreNotRevokedWithAll() {
    BatchLoop wheels = local(1);
    GenerationRequest request = request(30, 20);
    RecordingListener recorded = submit(wheels, request);
    wheels.turn();
    wheels.turn();
    wheels.revokeAll("node a lied");
    turnAll(wheels);
    isAsAlone(request, recorded);
  }

  @Test
  void revokingEndsSequencesInFlightAndDropsTheirPages() {
    WheelHarness harness = WheelHarness.spread(WheelHarness.SETTINGS, "oaaa", 1);
    GenerationRequest request = request(64, 5);
    harness.submitAndTurn(request);
    assertThat(harness.wheel.stats().pagesCached()).isPositive();
    RecordingListener recorded = harness.submit(request);
    harness.turn();
    harness.wheel.revoke(0, "node a lied");
    harness.turnAll();
    assertThat(recorded.result().finish()).isEqualTo(FinishReason.REVOKED);
    assertThat(harness.wheel.stats().pagesFree()).isEqualTo(64);
    assertThat(harness.others).allMatch(node -> node.passageCount() == 0);
    isAsAlone(request, harness.submitAndTurn(request));
  }
}
