package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.internal.pipe.ForgedFrames;
import dev.millrace.engine.internal.pipe.Frame;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.wheel.WheelHarness.RecordingListener;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Consecutive chunks of a prompt are at several nodes at the same time. */
@Timeout(60)
class ChunksInFlightTest {
  private static final int CHUNK = 16;
  private static final WheelSettings SETTINGS =
      WheelHarness.SETTINGS.withRows(64, CHUNK).withGroups(8);

  private final Random random = new Random(5);
  private WheelHarness harness;

  @BeforeEach
  void spread() {
    harness = WheelHarness.spread(SETTINGS, "oabb", 3);
  }

  private GenerationRequest request(int promptLength, int maxTokens) {
    return GenerationRequest.of(
            WheelHarness.prompt(random, promptLength), WheelHarness.warm(promptLength), maxTokens)
        .ignoringEnd();
  }

  private static void isAsAlone(GenerationRequest request, RecordingListener recorded) {
    GenerationResult result = recorded.result();
    assertThat(result.finish()).as(result.reason()).isEqualTo(FinishReason.LENGTH);
    assertThat(result.tokens())
        .isEqualTo(
            new WheelHarness(WheelHarness.SETTINGS).submitAndTurn(request).result().tokens());
  }

  private void turnUntilNothingIsDue() {
    while (harness.turn()) {}
  }

  /** Lets nodes work until so many frames have come back to the origin. */
  private Queue<ByteBuffer> untilBack(int count) {
    while (harness.net.waiting("o").size() < count) {
      String node = harness.net.waiting("a").isEmpty() ? "b" : "a";
      PipeProcessor next = harness.others.get(node.equals("a") ? 0 : 1);
      next.receive(harness.net.waiting(node).remove());
    }
    return harness.net.waiting("o");
  }

  @Test
  void eachNodeHasAnotherChunkOfOnePrompt() {
    GenerationRequest request = request(100, 5);
    RecordingListener recorded = harness.submit(request);
    turnUntilNothingIsDue();
    assertThat(harness.wheel.inFlight(0)).as("as many as the pipe has nodes").hasSize(3);
    assertThat(harness.net.waiting("a")).hasSize(3);
    harness.net.step();
    assertThat(harness.net.waiting("b")).as("the first chunk").hasSize(1);
    assertThat(harness.net.waiting("a")).as("the second and the third").hasSize(2);
    untilBack(1);
    harness.wheel.receive(0, harness.net.waiting("o").remove());
    turnUntilNothingIsDue();
    assertThat(recorded.progress).containsExactly(CHUNK);
    assertThat(harness.wheel.inFlight(0)).as("the fourth follows at once").hasSize(3);
    harness.turnAll();
    assertThat(recorded.progress).containsExactly(16, 32, 48, 64, 80, 96);
    isAsAlone(request, recorded);
  }

  @Test
  void theTokensAreTheSameOnEveryPlanAndInEveryOrderOfWork() {
    for (String nodes : List.of("oabb", "oaba", "aaao", "oaoa", "abab", "oooo")) {
      for (int seed = 0; seed < 20; seed++) {
        harness = WheelHarness.spread(SETTINGS.withGroups(1 + seed % 4), nodes, seed);
        GenerationRequest one = request(60 + random.nextInt(100), 10);
        GenerationRequest two = request(1 + random.nextInt(100), 30);
        RecordingListener first = harness.submit(one);
        RecordingListener second = harness.submit(two);
        harness.turnAll();
        isAsAlone(one, first);
        isAsAlone(two, second);
        assertThat(first.progress).isSorted().doesNotHaveDuplicates();
        assertThat(harness.others).allMatch(node -> node.passageCount() == 0);
      }
    }
  }

  @Test
  void aNodeThatIsLostBetweenTwoChunksChangesNothing() {
    GenerationRequest request = request(100, 20);
    RecordingListener recorded = harness.submit(request);
    turnUntilNothingIsDue();
    harness.wheel.receive(0, untilBack(1).remove());
    turnUntilNothingIsDue();
    harness.wheel.setPlan(0, null, "node b is lost");
    harness.turn();
    assertThat(harness.wheel.inFlight(0)).isEmpty();
    assertThat(harness.wheel.stats().waiting()).isEqualTo(1);
    Pipe next =
        new Pipe(
            8, "o", 4, List.of(new Pipe.NodeLayers("o", 0, 1), new Pipe.NodeLayers("c", 1, 4)));
    PipeProcessor other =
        new PipeProcessor("c", List.of(WheelHarness.MODEL.segment(64, 1, 4)), null, harness.net);
    other.setPlan(next);
    harness.net.join("c", other::receive);
    harness.wheel.setPlan(0, next, "node c came");
    harness.turnAll();
    isAsAlone(request, recorded);
    assertThat(other.passageCount()).isZero();
  }

  @Test
  void aCancelledPromptEndsWhenAllItsChunksAreBackAndSendsNoMore() {
    RecordingListener cancelled = harness.submit(request(200, 20));
    turnUntilNothingIsDue();
    cancelled.generation.cancel();
    for (int left = 3; left > 0; left--) {
      assertThat(harness.wheel.inFlight(0)).hasSize(left);
      assertThat(cancelled.generation.isDone()).isFalse();
      harness.wheel.receive(0, untilBack(1).remove());
      turnUntilNothingIsDue();
    }
    assertThat(cancelled.result().finish()).isEqualTo(FinishReason.CANCELLED);
    assertThat(harness.wheel.stats().pagesUsed()).isZero();
    GenerationRequest next = request(100, 20);
    isAsAlone(next, harness.submitAndTurn(next));
    assertThat(harness.others).allMatch(node -> node.passageCount() == 0);
  }

  @Test
  void anInteractiveRequestTakesTheSlotOfALongPromptBetweenItsChunks() {
    harness = WheelHarness.spread(SETTINGS.withSequences(2).withPages(128), "oabb", 3);
    GenerationRequest first = request(400, 5);
    GenerationRequest second = request(401, 5);
    RecordingListener stays = harness.submit(first);
    RecordingListener preempted = harness.submit(second);
    turnUntilNothingIsDue();
    GenerationRequest urgent = request(10, 5).withInteractive(true);
    RecordingListener interactive = harness.submit(urgent);
    interactive.onToken = () -> assertThat(preempted.progress).allMatch(position -> position < 100);
    harness.turnAll();
    assertThat(preempted.result().usage().preemptions()).isEqualTo(1);
    isAsAlone(first, stays);
    isAsAlone(second, preempted);
    isAsAlone(urgent, interactive);
  }

  @Test
  void aSequenceThatNeedsAPageDoesNotWaitForTheEndOfALongPrompt() {
    harness = WheelHarness.spread(SETTINGS.withPages(10).withRows(64, 1), "oabb", 3);
    GenerationRequest decodes = request(4, 110);
    GenerationRequest fills = request(250, 3);
    RecordingListener first = harness.submit(decodes);
    turnUntilNothingIsDue();
    RecordingListener second = harness.submit(fills);
    first.onToken = () -> assertThat(second.tokens).isEmpty();
    harness.turnAll();
    assertThat(second.result().usage().preemptions()).isPositive();
    isAsAlone(decodes, first);
    isAsAlone(fills, second);
  }

  @Test
  void aSequenceFailsWithTheReasonOfItsFirstChunkWhenAllAreBack() {
    RecordingListener recorded = harness.submit(request(200, 20));
    turnUntilNothingIsDue();
    Queue<ByteBuffer> back = untilBack(3);
    harness.wheel.receive(0, ForgedFrames.failed(back.remove(), 7));
    turnUntilNothingIsDue();
    assertThat(recorded.generation.isDone()).isFalse();
    assertThat(harness.wheel.inFlight(0)).as("no further chunk").hasSize(2);
    harness.turnAll();
    assertThat(recorded.result().finish()).isEqualTo(FinishReason.FAILED);
    assertThat(recorded.result().reason()).isEqualTo("broken");
    assertThat(harness.wheel.stats().pagesUsed()).isZero();
    assertThat(harness.others).allMatch(node -> node.passageCount() == 0);
  }

  @Test
  void chunksThatComeBackInAnotherOrderAreComputedAgain() {
    GenerationRequest request = request(100, 5);
    RecordingListener recorded = harness.submit(request);
    turnUntilNothingIsDue();
    Queue<ByteBuffer> back = untilBack(2);
    ByteBuffer first = back.remove();
    harness.wheel.receive(0, back.remove());
    harness.turn();
    harness.wheel.receive(0, first);
    harness.turnAll();
    isAsAlone(request, recorded);
    assertThat(harness.processor.passageCount()).isZero();
  }

  @Test
  void aChunkWhosePredecessorIsLostIsRefusedByTheNextNode() {
    RecordingListener recorded = harness.submit(request(100, 5));
    turnUntilNothingIsDue();
    harness.net.waiting("a").remove();
    harness.others.getFirst().receive(harness.net.waiting("a").remove());
    Frame answer = new Frame(harness.net.waiting("o").peek().duplicate());
    assertThat(answer.ending().reason())
        .isEqualTo("node a: passage 1: a step from position 16 on, but 0 positions are here");
    harness.turnAll();
    assertThat(recorded.generation.isDone()).as("its deadline ends the pipe").isFalse();
    assertThat(harness.wheel.inFlight(0)).hasSize(1);
  }

  @Test
  void aListenerThatFailsBetweenTwoChunksEndsItsSequenceWhenAllAreBack() {
    AtomicBoolean ended = new AtomicBoolean();
    harness.wheel.submit(
        request(200, 5),
        new GenerationListener() {
          @Override
          public void token(int id, String text, dev.millrace.engine.api.Logprobs logprobs) {}

          @Override
          public void progress(int done, int total) {
            throw new IllegalStateException("no");
          }

          @Override
          public void ended(GenerationResult result) {
            assertThat(result.reason()).isEqualTo("its listener threw: no");
            assertThat(harness.wheel.inFlight(0)).isEmpty();
            ended.set(true);
          }
        });
    harness.turnAll();
    assertThat(ended).isTrue();
  }
}
