package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.internal.pipe.FakeNetwork;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.SequenceCondition;
import dev.millrace.engine.internal.pipe.SequenceState;
import dev.millrace.engine.internal.wheel.WheelHarness.Heard;
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

  private static void isAsAlone(GenerationRequest request, Heard heard) {
    assertThat(heard.result().finish()).isEqualTo(FinishReason.LENGTH);
    assertThat(heard.result().tokens())
        .isEqualTo(
            new WheelHarness(WheelHarness.SETTINGS).submitAndTurn(request).result().tokens());
  }

  /** Wheels with pipes that are all here. */
  private static BatchLoop local(int pipes) {
    List<PipeProcessor> processors = new ArrayList<>();
    for (int i = 0; i < pipes; i++) {
      processors.add(PipeProcessor.local(WheelHarness.MODEL.cut(64, 0), WheelHarness.MODEL.end()));
    }
    return new BatchLoop(
        WheelHarness.SETTINGS,
        processors,
        WheelHarness.vocabulary(),
        WheelHarness::speller,
        () -> 0,
        null);
  }

  private static Heard submit(BatchLoop wheels, GenerationRequest request) {
    Heard heard = new Heard();
    heard.generation = wheels.submit(request, heard);
    return heard;
  }

  private static void turnAll(BatchLoop wheels) {
    while (wheels.turn()) {
      wheels.check();
    }
  }

  @Test
  void whileThereIsNoPipeAllWaitAndWishesAreGrantedAtOnce() {
    WheelHarness mill = new WheelHarness(WheelHarness.SETTINGS);
    mill.wheel.setPlan(0, null, "nobody is there");
    GenerationRequest request = request(40, 5);
    Heard waits = mill.submit(request);
    Heard cancelled = mill.submit(request(40, 5));
    Heard released = mill.submit(request(40, 5));
    mill.turnAll();
    assertThat(mill.wheel.stats().waiting()).isEqualTo(3);
    assertThat(mill.wheel.stats().turns()).isZero();
    cancelled.generation.cancel();
    released.generation.release();
    mill.turn();
    assertThat(cancelled.result().finish()).isEqualTo(FinishReason.CANCELLED);
    assertThat(released.result().finish()).isEqualTo(FinishReason.RELEASED);
    mill.wheel.setPlan(0, HERE, "somebody came");
    mill.turnAll();
    isAsAlone(request, waits);
  }

  @Test
  void anotherPlanCallsAllBackAndDropsWhatWasCached() {
    WheelHarness mill = WheelHarness.spread(WheelHarness.SETTINGS.withGroups(3), "oabb", 3);
    List<GenerationRequest> requests = new ArrayList<>();
    List<Heard> heard = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      requests.add(request(70 + i, 40));
      heard.add(mill.submit(requests.getLast()));
    }
    while (heard.getFirst().tokens.size() < 10) {
      mill.turn();
      mill.net.step();
    }
    assertThat(mill.wheel.inFlight(0)).isNotEmpty().allMatch(away -> away.epoch() == 7);
    assertThat(mill.wheel.stats().pagesUsed()).isPositive();
    mill.wheel.setPlan(0, null, "node b is lost");
    mill.turn();
    assertThat(mill.wheel.inFlight(0)).isEmpty();
    assertThat(mill.wheel.stats().waiting()).isEqualTo(4);
    assertThat(mill.wheel.stats().pagesFree()).isEqualTo(WheelHarness.SETTINGS.pages());
    Pipe next =
        new Pipe(
            8, "o", 4, List.of(new Pipe.NodeLayers("o", 0, 1), new Pipe.NodeLayers("c", 1, 4)));
    PipeProcessor other =
        new PipeProcessor("c", List.of(WheelHarness.MODEL.segment(64, 1, 4)), null, mill.net);
    other.setPlan(next);
    mill.net.join("c", other::receive);
    mill.wheel.setPlan(0, next, "node c came");
    mill.turnAll();
    for (int i = 0; i < 4; i++) {
      isAsAlone(requests.get(i), heard.get(i));
      assertThat(heard.get(i).result().usage().preemptions()).isZero();
    }
    assertThat(other.passageCount()).isZero();
  }

  @Test
  void aFrameOfAnotherPlanIsAsIfItNeverCame() {
    WheelHarness mill = WheelHarness.spread(WheelHarness.SETTINGS, "oaaa", 1);
    Heard heard = mill.submit(request(5, 3));
    mill.turn();
    mill.net.step();
    byte[] answer = mill.net.waiting("o").remove().array();
    byte[] former = answer.clone();
    ByteBuffer.wrap(former).putLong(13, 6); // the epoch
    FakeNetwork.seal(former);
    mill.wheel.receive(0, ByteBuffer.wrap(former));
    mill.turnAll();
    assertThat(heard.tokens).isEmpty();
    assertThat(
            mill.processor
                .transitionCounts()
                .of(SequenceState.VALIDATING, SequenceCondition.NO_SEQUENCE))
        .isEqualTo(1);
    mill.wheel.receive(0, ByteBuffer.wrap(answer.clone()));
    mill.wheel.receive(0, ByteBuffer.wrap(answer.clone())); // one of them is late
    mill.turnAll();
    assertThat(heard.result().tokens()).hasSize(3);
  }

  @Test
  void aCancelledOneThatIsAwayEndsWhenItIsBackOrGivenUp() {
    for (boolean back : new boolean[] {true, false}) {
      WheelHarness mill = WheelHarness.spread(WheelHarness.SETTINGS, "oaaa", 1);
      Heard heard = mill.submit(request(5, 3));
      mill.turn();
      heard.generation.cancel();
      mill.turn();
      assertThat(heard.generation.isDone()).isFalse();
      if (!back) {
        mill.wheel.setPlan(0, null, "node a is lost");
      }
      mill.turnAll();
      assertThat(heard.result().finish()).isEqualTo(FinishReason.CANCELLED);
      assertThat(mill.wheel.stats().pagesUsed()).isZero();
    }
  }

  @Test
  void asManyGroupsFlyAsNodesComputeAndNobodyIsLeftBehind() {
    WheelHarness mill =
        WheelHarness.spread(WheelHarness.SETTINGS.withGroups(8).withPages(256), "oabb", 5);
    List<Heard> heard = new ArrayList<>();
    heard.add(mill.submit(request(4, 200)));
    while (heard.getFirst().tokens.size() < 3) {
      mill.turn();
      mill.net.step();
      assertThat(mill.wheel.inFlight(0).size()).isLessThanOrEqualTo(1);
    }
    for (int i = 1; i < 7; i++) {
      heard.add(mill.submit(request(4, 200)));
    }
    int most = 0;
    while (heard.getFirst().tokens.size() < 100) {
      while (mill.turn()) {}
      most = Math.max(most, mill.wheel.inFlight(0).size());
      mill.net.step();
    }
    assertThat(most).isEqualTo(3);
    int[] counts = heard.stream().mapToInt(h -> h.tokens.size()).toArray();
    assertThat(Arrays.stream(counts).min().orElseThrow()).isGreaterThan(85);
    long before = mill.wheel.stats().turns();
    mill.turnAll();
    // about a third of seven in each
    long turns = mill.wheel.stats().turns() - before;
    assertThat(turns).isBetween(2 * 100L, 4 * 100L);
  }

  @Test
  void theLineGoesToThePipeThatRunsTheFewest() {
    BatchLoop wheels = local(2);
    List<GenerationRequest> requests = new ArrayList<>();
    List<Heard> heard = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      requests.add(request(30 + i, 20));
      heard.add(submit(wheels, requests.getLast()));
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
      isAsAlone(requests.get(i), heard.get(i));
    }
    assertThat(wheels.stats().ended()).isEqualTo(6);
    assertThat(wheels.stats(1).ended()).isEqualTo(6);
  }

  @Test
  void revokedAreThoseInThePipeAndThoseWithTokensFromIt() {
    BatchLoop wheels = local(2);
    Heard first = submit(wheels, request(30, 50));
    GenerationRequest other = request(31, 50);
    Heard second = submit(wheels, other);
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
  void revokedAreAllWithTokensThroughOtherNodesWhereverTheyAreNow() {
    WheelHarness mill = WheelHarness.spread(WheelHarness.SETTINGS.withSequences(1), "oaaa", 1);
    Heard told = mill.submit(request(30, 50));
    while (told.tokens.size() < 2) {
      mill.turn();
      mill.net.step();
    }
    mill.wheel.setPlan(0, null, "node a is lost");
    mill.turn();
    GenerationRequest fresh = request(31, 5);
    Heard waits = mill.submit(fresh);
    Heard resumed = mill.submit(request(32, 5).resumedFrom(new int[] {7}));
    mill.turn();
    mill.wheel.revokeAll("node a lied");
    mill.turn();
    for (Heard heard : List.of(told, resumed)) {
      assertThat(heard.result().finish()).isEqualTo(FinishReason.REVOKED);
      assertThat(heard.result().reason()).isEqualTo("node a lied");
    }
    assertThat(waits.generation.isDone()).isFalse();
    Pipe here = new Pipe(9, "o", 4, List.of(new Pipe.NodeLayers("a", 0, 4)));
    PipeProcessor whole =
        new PipeProcessor("a", List.of(WheelHarness.MODEL.segment(64, 0, 4)), null, mill.net);
    whole.setPlan(here);
    mill.net.join("a", whole::receive);
    mill.wheel.setPlan(0, here, "node a is back");
    mill.turn();
    assertThat(mill.wheel.inFlight(0)).hasSize(1);
    mill.wheel.revokeAll("node a lied again");
    mill.turnAll();
    assertThat(waits.result().finish()).isEqualTo(FinishReason.REVOKED);
    assertThat(whole.passageCount()).isZero();
    isAsAlone(fresh, mill.submitAndTurn(fresh));
  }

  @Test
  void whatWasComputedHereAloneIsNotRevokedWithAll() {
    BatchLoop wheels = local(1);
    GenerationRequest request = request(30, 20);
    Heard heard = submit(wheels, request);
    wheels.turn();
    wheels.turn();
    wheels.revokeAll("node a lied");
    turnAll(wheels);
    isAsAlone(request, heard);
  }

  @Test
  void revokingEndsThoseThatAreAwayAndDropsTheirPages() {
    WheelHarness mill = WheelHarness.spread(WheelHarness.SETTINGS, "oaaa", 1);
    GenerationRequest request = request(64, 5);
    mill.submitAndTurn(request);
    assertThat(mill.wheel.stats().pagesCached()).isPositive();
    Heard heard = mill.submit(request);
    mill.turn();
    mill.wheel.revoke(0, "node a lied");
    mill.turnAll();
    assertThat(heard.result().finish()).isEqualTo(FinishReason.REVOKED);
    assertThat(mill.wheel.stats().pagesFree()).isEqualTo(64);
    assertThat(mill.others).allMatch(node -> node.passageCount() == 0);
    isAsAlone(request, mill.submitAndTurn(request));
  }
}
