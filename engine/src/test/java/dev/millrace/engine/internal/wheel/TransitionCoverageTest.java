package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.ForgedFrames;
import dev.millrace.engine.internal.pipe.FrameTransport;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.PipeTransitionTable;
import dev.millrace.engine.internal.pipe.Segment;
import dev.millrace.engine.internal.pipe.SequenceCondition;
import dev.millrace.engine.internal.pipe.SequenceState;
import dev.millrace.engine.internal.wheel.WheelHarness.RecordingListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Every transition of the table is made by the event that it is meant for. */
class TransitionCoverageTest {
  private final Random random = new Random(2);
  private final List<PipeProcessor> processors = new ArrayList<>();

  private GenerationRequest request(int promptLength, int maxTokens) {
    return GenerationRequest.of(
            WheelHarness.prompt(random, promptLength), WheelHarness.warm(1), maxTokens)
        .ignoringEnd();
  }

  private WheelHarness keep(WheelHarness harness) {
    processors.add(harness.processor);
    processors.addAll(harness.others);
    return harness;
  }

  private WheelHarness local() {
    return keep(new WheelHarness(WheelHarness.SETTINGS.withRows(32, 16)));
  }

  private WheelHarness spread(String nodes) {
    return keep(WheelHarness.spread(WheelHarness.SETTINGS.withRows(32, 16), nodes, 1));
  }

  @Test
  void everyTransitionIsMadeExceptTheUnusedOnes() {
    goesThrough();
    isRequested();
    hasNoPipe();
    breaks();
    Set<String> never = new TreeSet<>();
    for (PipeTransitionTable.Row row : PipeTransitionTable.SEQUENCE.rows()) {
      boolean made =
          processors.stream()
              .anyMatch(p -> p.transitionCounts().of(row.from(), row.condition()) > 0);
      if (!made) {
        never.add(row.from() + " " + row.condition());
      }
    }
    assertThat(never)
        .containsExactlyInAnyOrder(
            // the scheduler has no deadlines: their owner cancels
            "VALIDATING DEADLINE_PASSED",
            "EMBED DEADLINE_PASSED",
            "PROCESS_LAYERS DEADLINE_PASSED",
            "HEAD DEADLINE_PASSED",
            "SEND DEADLINE_PASSED",
            // stop requests take effect between two steps, never within one
            "PROCESS_LAYERS CANCELLED",
            "PROCESS_LAYERS PAUSED",
            "PROCESS_LAYERS PREEMPTED",
            "SEND CANCELLED",
            "SEND PAUSED",
            "SEND PREEMPTED",
            "HEAD PREEMPTED",
            // having embedding and head is what makes a node an origin
            "VALIDATING END_MISSING",
            // a node accepts only steps for layers
            "VALIDATING NOT_ORIGIN_FOR_HEAD",
            // embedding is left to the next batch
            "HEAD EMBEDDED_NEXT_LOCAL",
            "HEAD EMBEDDED_NEXT_REMOTE");
  }

  private void goesThrough() {
    WheelHarness harness = local();
    harness.submit(request(100, 5));
    harness.turnAll();
    var two = PipeProcessor.local(WheelHarness.MODEL.cut(64, 0, 2), WheelHarness.MODEL.end());
    keep(new WheelHarness(WheelHarness.SETTINGS, two, null)).submitAndTurn(request(10, 2));
    for (String nodes : new String[] {"oabb", "aaaa"}) {
      spread(nodes).submitAndTurn(request(100, 5));
    }
    for (String nodes : new String[] {"oabb", "oaao"}) {
      WheelSettings several = WheelHarness.SETTINGS.withRows(32, 16).withGroups(3);
      keep(WheelHarness.spread(several, nodes, 1)).submitAndTurn(request(100, 5));
    }
    WheelHarness scarce = keep(new WheelHarness(WheelHarness.SETTINGS.withPages(6)));
    scarce.submit(request(60, 100));
    scarce.submitAndTurn(request(30, 100));
    assertThat(scarce.wheel.stats().preemptions()).isPositive();
    followsAndIsPreempted();
  }

  /**
   * Three sequences that decode take pages that are reserved for one that waits for another's
   * pages.
   */
  private void followsAndIsPreempted() {
    WheelHarness harness =
        keep(new WheelHarness(WheelHarness.SETTINGS.withPages(13).withRows(128, 1)));
    for (int i = 0; i < 3; i++) {
      harness.submit(request(31, 50));
    }
    harness.turn();
    GenerationRequest leader = request(70, 3);
    harness.submit(leader);
    harness.submitAndTurn(leader);
  }

  private void isRequested() {
    for (boolean cancel : new boolean[] {true, false}) {
      WheelHarness harness = local();
      RecordingListener waits = harness.submit(request(5, 50));
      requestStop(waits, cancel);
      RecordingListener rests = harness.submit(request(5, 50));
      harness.turn();
      requestStop(rests, cancel);
      // at HEAD, because another listener requests it in the same turn
      RecordingListener first = harness.submit(request(5, 50));
      RecordingListener second = harness.submit(request(5, 50));
      first.onToken = () -> requestStop(second, cancel);
      harness.turnAll();
      assertThat(second.tokens).isEmpty();
    }
  }

  private static void requestStop(RecordingListener recorded, boolean cancel) {
    if (cancel) {
      recorded.generation.cancel();
    } else {
      recorded.generation.release();
    }
  }

  /** A sequence without a pipe waits for one; a released one is tried again, but not forever. */
  private void hasNoPipe() {
    Pipe whole = new Pipe(2, "here", 4, List.of(new Pipe.NodeLayers("here", 0, 4)));
    Pipe gap = new Pipe(3, "here", 4, List.of(new Pipe.NodeLayers("here", 0, 2)));
    WheelHarness none = local();
    none.processor.setPlan(null);
    RecordingListener waits = none.submitAndTurn(request(3, 3));
    none.wheel.setPlan(0, gap, "a node is missing");
    none.turnAll();
    assertThat(waits.generation.isDone()).isFalse();
    none.wheel.setPlan(0, whole, "a node came");
    none.turnAll();
    assertThat(waits.result().finish()).isEqualTo(FinishReason.LENGTH);
    WheelHarness lost = local();
    RecordingListener decoding = lost.submit(request(3, 30));
    lost.turn();
    lost.processor.setPlan(gap);
    lost.turnAll();
    assertThat(decoding.generation.isDone()).isFalse();
    lost.wheel.setPlan(0, whole, "a node came");
    lost.turn();
    lost.wheel.setPlan(0, whole, "while it rests");
    lost.turnAll();
    assertThat(decoding.result().finish()).isEqualTo(FinishReason.LENGTH);
    for (Pipe known : new Pipe[] {null, new Pipe(7, "o", 4, gap.nodeLayers())}) {
      WheelHarness unknown = spread("oaaa");
      unknown.others.getFirst().setPlan(known);
      String reason = known == null ? "node a does not know plan 7" : "pipe incomplete";
      GenerationResult result = unknown.submitAndTurn(request(3, 3)).result();
      assertThat(result.finish()).isEqualTo(FinishReason.FAILED);
      assertThat(result.reason()).isEqualTo(reason);
      assertThat(unknown.wheel.stats().turns()).isEqualTo(StepResultHandler.MOST_RELEASES);
    }
    WheelHarness wrong = local();
    wrong.processor.setPlan(new Pipe(3, "here", 5, List.of(new Pipe.NodeLayers("here", 0, 5))));
    assertThat(wrong.submitAndTurn(request(3, 3)).result().reason())
        .isEqualTo("node here has no segment that begins with layer 4");
    WheelHarness elsewhere = local();
    elsewhere.processor.setPlan(
        new Pipe(4, "there", 4, List.of(new Pipe.NodeLayers("here", 0, 4))));
    assertThat(elsewhere.submitAndTurn(request(3, 3)).result().finish())
        .isEqualTo(FinishReason.FAILED);
    assertThat(
            elsewhere
                .processor
                .transitionCounts()
                .of(SequenceState.VALIDATING, SequenceCondition.EMBED_DUE_ELSEWHERE))
        .isEqualTo(StepResultHandler.MOST_RELEASES);
  }

  private void breaks() {
    for (boolean inEmbedding : new boolean[] {true, false}) {
      throwing(inEmbedding).submitAndTurn(request(3, 3));
    }
    FailingHead end = new FailingHead(false);
    end.inHead = true;
    keep(new WheelHarness(
            WheelHarness.SETTINGS, PipeProcessor.local(WheelHarness.MODEL.cut(64, 0), end), null))
        .submitAndTurn(request(3, 3));
    int[] sent = {0};
    FrameTransport broken =
        (to, frame) -> {
          if (sent[0]++ == 0) {
            throw new OutOfMemoryError("no more");
          }
        };
    var sending = new PipeProcessor("o", List.of(), WheelHarness.MODEL.end(), broken);
    sending.setPlan(new Pipe(1, "o", 4, List.of(new Pipe.NodeLayers("a", 0, 4))));
    assertThat(
            keep(new WheelHarness(WheelHarness.SETTINGS, sending, null))
                .submitAndTurn(request(3, 3))
                .result())
        .matches(
            result -> result.finish() == FinishReason.FAILED && result.reason().equals("no more"));
    WheelHarness gone = spread("oaaa");
    gone.net.leave("a");
    assertThat(gone.submitAndTurn(request(3, 3)).result().reason()).isEqualTo("node a is gone");
    WheelHarness listener = local();
    GenerationListener throwing =
        new GenerationListener() {
          @Override
          public void token(int id, String text, dev.millrace.engine.api.Logprobs logprobs) {
            throw new IllegalStateException("no");
          }

          @Override
          public void progress(int done, int total) {
            throw new IllegalStateException("no");
          }
        };
    listener.wheel.submit(request(100, 1), throwing);
    listener.wheel.submit(request(3, 1), throwing);
    listener.turnAll();
    assertThat(listener.wheel.stats().ended()).isEqualTo(2);
    // steps of an older plan, of positions that are not there, and a head's step at a node
    // without a head
    WheelHarness fenced = spread("oaaa");
    fenced
        .others
        .getFirst()
        .setPlan(
            new Pipe(
                8,
                "o",
                4,
                List.of(new Pipe.NodeLayers("o", 0, 1), new Pipe.NodeLayers("a", 1, 4))));
    assertThat(fenced.submitAndTurn(request(3, 3)).result().reason())
        .isEqualTo("node a: plan 7 is over");
    WheelHarness astray = spread("oaaa");
    RecordingListener lost = astray.submit(request(3, 3));
    astray.turn();
    astray.net.step();
    astray.net.send("a", astray.net.waiting("o").remove());
    astray.turnAll();
    assertThat(lost.result().finish()).as("it was released once").isEqualTo(FinishReason.LENGTH);
    WheelHarness failing = spread("oaaa");
    RecordingListener failed = failing.submit(request(3, 3));
    failing.turn();
    failing.net.step();
    failing.wheel.receive(0, ForgedFrames.failed(failing.net.waiting("o").remove(), 7));
    failing.turnAll();
    assertThat(failed.result().reason()).isEqualTo("broken");
    local().processor.countStrayFrame();
  }

  private WheelHarness throwing(boolean inEmbedding) {
    Segment broken =
        new Segment() {
          @Override
          public int from() {
            return 0;
          }

          @Override
          public int to() {
            return 4;
          }

          @Override
          public void forward(Batch batch) {
            throw new IllegalStateException("layer lost");
          }
        };
    return keep(
        new WheelHarness(
            WheelHarness.SETTINGS,
            PipeProcessor.local(List.of(broken), new FailingHead(inEmbedding)),
            null));
  }
}
