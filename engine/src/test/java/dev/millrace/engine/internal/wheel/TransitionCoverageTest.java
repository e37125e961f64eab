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
import dev.millrace.engine.internal.wheel.WheelHarness.Heard;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Every move of the table is made by what it is meant for. */
class TransitionCoverageTest {
  private final Random random = new Random(2);
  private final List<PipeProcessor> processors = new ArrayList<>();

  private GenerationRequest request(int promptLength, int maxTokens) {
    return GenerationRequest.of(
            WheelHarness.prompt(random, promptLength), WheelHarness.warm(1), maxTokens)
        .ignoringEnd();
  }

  private WheelHarness keep(WheelHarness mill) {
    processors.add(mill.processor);
    processors.addAll(mill.others);
    return mill;
  }

  private WheelHarness local() {
    return keep(new WheelHarness(WheelHarness.SETTINGS.withRows(32, 16)));
  }

  private WheelHarness spread(String nodes) {
    return keep(WheelHarness.spread(WheelHarness.SETTINGS.withRows(32, 16), nodes, 1));
  }

  @Test
  void everyMoveIsMadeButThoseThatNothingCallsForYet() {
    goesThrough();
    isWished();
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
            // the wheel has no deadlines: whoever set one cancels
            "VALIDATING DEADLINE_PASSED",
            "EMBED DEADLINE_PASSED",
            "PROCESS_LAYERS DEADLINE_PASSED",
            "HEAD DEADLINE_PASSED",
            "SEND DEADLINE_PASSED",
            // wishes are granted between two steps, never within one
            "PROCESS_LAYERS CANCELLED",
            "PROCESS_LAYERS PAUSED",
            "PROCESS_LAYERS PREEMPTED",
            "SEND CANCELLED",
            "SEND PAUSED",
            "SEND PREEMPTED",
            "HEAD PREEMPTED",
            // its end is what makes a node an origin
            "VALIDATING END_MISSING",
            // a node takes no step but layers
            "VALIDATING NOT_ORIGIN_FOR_HEAD",
            // embedding is left to the next turn's batch
            "HEAD EMBEDDED_NEXT_LOCAL",
            "HEAD EMBEDDED_NEXT_REMOTE");
  }

  private void goesThrough() {
    WheelHarness mill = local();
    mill.submit(request(100, 5));
    mill.turnAll();
    var two = PipeProcessor.local(WheelHarness.MODEL.cut(64, 0, 2), WheelHarness.MODEL.end());
    keep(new WheelHarness(WheelHarness.SETTINGS, two, null)).submitAndTurn(request(10, 2));
    for (String nodes : new String[] {"oabb", "aaaa"}) {
      spread(nodes).submitAndTurn(request(100, 5));
    }
    WheelHarness scarce = keep(new WheelHarness(WheelHarness.SETTINGS.withPages(6)));
    scarce.submit(request(60, 100));
    scarce.submitAndTurn(request(30, 100));
    assertThat(scarce.wheel.stats().preemptions()).isPositive();
    followsAndIsPreempted();
  }

  /** Three that decode take what was promised to one that waits for another's pages. */
  private void followsAndIsPreempted() {
    WheelHarness mill =
        keep(new WheelHarness(WheelHarness.SETTINGS.withPages(13).withRows(128, 1)));
    for (int i = 0; i < 3; i++) {
      mill.submit(request(31, 50));
    }
    mill.turn();
    GenerationRequest leader = request(70, 3);
    mill.submit(leader);
    mill.submitAndTurn(leader);
  }

  private void isWished() {
    for (boolean cancel : new boolean[] {true, false}) {
      WheelHarness mill = local();
      Heard waits = mill.submit(request(5, 50));
      wish(waits, cancel);
      Heard rests = mill.submit(request(5, 50));
      mill.turn();
      wish(rests, cancel);
      // at HEAD, because another's listener wishes it in the same turn
      Heard first = mill.submit(request(5, 50));
      Heard second = mill.submit(request(5, 50));
      first.onToken = () -> wish(second, cancel);
      mill.turnAll();
      assertThat(second.tokens).isEmpty();
    }
  }

  private static void wish(Heard heard, boolean cancel) {
    if (cancel) {
      heard.generation.cancel();
    } else {
      heard.generation.release();
    }
  }

  /** Who has no pipe waits for one; who is released goes on, but not for ever. */
  private void hasNoPipe() {
    Pipe whole = new Pipe(2, "here", 4, List.of(new Pipe.NodeLayers("here", 0, 4)));
    Pipe gap = new Pipe(3, "here", 4, List.of(new Pipe.NodeLayers("here", 0, 2)));
    WheelHarness none = local();
    none.processor.setPlan(null);
    Heard waits = none.submitAndTurn(request(3, 3));
    none.wheel.setPlan(0, gap, "a node is missing");
    none.turnAll();
    assertThat(waits.generation.isDone()).isFalse();
    none.wheel.setPlan(0, whole, "a node came");
    none.turnAll();
    assertThat(waits.result().finish()).isEqualTo(FinishReason.LENGTH);
    WheelHarness lost = local();
    Heard decoding = lost.submit(request(3, 30));
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
    // steps of a former plan, of positions that are not there, and a head's step at a node that has
    // none
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
    Heard lost = astray.submit(request(3, 3));
    astray.turn();
    astray.net.step();
    astray.net.send("a", astray.net.waiting("o").remove());
    astray.turnAll();
    assertThat(lost.result().finish()).as("it was released once").isEqualTo(FinishReason.LENGTH);
    WheelHarness failing = spread("oaaa");
    Heard failed = failing.submit(request(3, 3));
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
