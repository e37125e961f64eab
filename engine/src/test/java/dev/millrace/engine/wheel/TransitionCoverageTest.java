package dev.millrace.engine.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.pipe.Batch;
import dev.millrace.engine.pipe.Condition;
import dev.millrace.engine.pipe.Forge;
import dev.millrace.engine.pipe.Hop;
import dev.millrace.engine.pipe.Pipe;
import dev.millrace.engine.pipe.PipeProcessor;
import dev.millrace.engine.pipe.PipeTable;
import dev.millrace.engine.pipe.Segment;
import dev.millrace.engine.pipe.SequenceState;
import dev.millrace.engine.wheel.Mill.Heard;
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

  private Request request(int promptLength, int maxTokens) {
    return Request.of(Mill.prompt(random, promptLength), Mill.warm(1), maxTokens).ignoringEnd();
  }

  private Mill keep(Mill mill) {
    processors.add(mill.processor);
    processors.addAll(mill.others);
    return mill;
  }

  private Mill local() {
    return keep(new Mill(Mill.SETTINGS.withRows(32, 16)));
  }

  private Mill spread(String nodes) {
    return keep(Mill.spread(Mill.SETTINGS.withRows(32, 16), nodes, 1));
  }

  @Test
  void everyMoveIsMadeButThoseThatNothingCallsForYet() {
    goesThrough();
    isWished();
    hasNoPipe();
    breaks();
    Set<String> never = new TreeSet<>();
    for (PipeTable.Row row : PipeTable.SEQUENCE.rows()) {
      boolean made =
          processors.stream().anyMatch(p -> p.tally().of(row.from(), row.condition()) > 0);
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
    Mill mill = local();
    mill.submit(request(100, 5));
    mill.turnAll();
    var two = PipeProcessor.local(Mill.MODEL.cut(64, 0, 2), Mill.MODEL.end());
    keep(new Mill(Mill.SETTINGS, two, null)).submitAndTurn(request(10, 2));
    for (String nodes : new String[] {"oabb", "aaaa"}) {
      spread(nodes).submitAndTurn(request(100, 5));
    }
    Mill scarce = keep(new Mill(Mill.SETTINGS.withPages(6)));
    scarce.submit(request(60, 100));
    scarce.submitAndTurn(request(30, 100));
    assertThat(scarce.wheel.stats().preemptions()).isPositive();
    followsAndIsPreempted();
  }

  /** Three that decode take what was promised to one that waits for another's pages. */
  private void followsAndIsPreempted() {
    Mill mill = keep(new Mill(Mill.SETTINGS.withPages(13).withRows(128, 1)));
    for (int i = 0; i < 3; i++) {
      mill.submit(request(31, 50));
    }
    mill.turn();
    Request leader = request(70, 3);
    mill.submit(leader);
    mill.submitAndTurn(leader);
  }

  private void isWished() {
    for (boolean cancel : new boolean[] {true, false}) {
      Mill mill = local();
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
    Pipe whole = new Pipe(2, "here", 4, List.of(new Pipe.Stretch("here", 0, 4)));
    Pipe gap = new Pipe(3, "here", 4, List.of(new Pipe.Stretch("here", 0, 2)));
    Mill none = local();
    none.processor.plan(null);
    Heard waits = none.submitAndTurn(request(3, 3));
    none.wheel.plan(0, gap, "a node is missing");
    none.turnAll();
    assertThat(waits.generation.isDone()).isFalse();
    none.wheel.plan(0, whole, "a node came");
    none.turnAll();
    assertThat(waits.result().finish()).isEqualTo(Finish.LENGTH);
    Mill lost = local();
    Heard decoding = lost.submit(request(3, 30));
    lost.turn();
    lost.processor.plan(gap);
    lost.turnAll();
    assertThat(decoding.generation.isDone()).isFalse();
    lost.wheel.plan(0, whole, "a node came");
    lost.turn();
    lost.wheel.plan(0, whole, "while it rests");
    lost.turnAll();
    assertThat(decoding.result().finish()).isEqualTo(Finish.LENGTH);
    for (Pipe known : new Pipe[] {null, new Pipe(7, "o", 4, gap.stretches())}) {
      Mill unknown = spread("oaaa");
      unknown.others.getFirst().plan(known);
      String reason = known == null ? "node a does not know plan 7" : "pipe incomplete";
      Result result = unknown.submitAndTurn(request(3, 3)).result();
      assertThat(result.finish()).isEqualTo(Finish.FAILED);
      assertThat(result.reason()).isEqualTo(reason);
      assertThat(unknown.wheel.stats().turns()).isEqualTo(Harvest.MOST_RELEASES);
    }
    Mill wrong = local();
    wrong.processor.plan(new Pipe(3, "here", 5, List.of(new Pipe.Stretch("here", 0, 5))));
    assertThat(wrong.submitAndTurn(request(3, 3)).result().reason())
        .isEqualTo("node here has no segment that begins with layer 4");
    Mill elsewhere = local();
    elsewhere.processor.plan(new Pipe(4, "there", 4, List.of(new Pipe.Stretch("here", 0, 4))));
    assertThat(elsewhere.submitAndTurn(request(3, 3)).result().finish()).isEqualTo(Finish.FAILED);
    assertThat(
            elsewhere.processor.tally().of(SequenceState.VALIDATING, Condition.EMBED_DUE_ELSEWHERE))
        .isEqualTo(Harvest.MOST_RELEASES);
  }

  private void breaks() {
    for (boolean inEmbedding : new boolean[] {true, false}) {
      throwing(inEmbedding).submitAndTurn(request(3, 3));
    }
    BrokenEnd end = new BrokenEnd(false);
    end.inHead = true;
    keep(new Mill(Mill.SETTINGS, PipeProcessor.local(Mill.MODEL.cut(64, 0), end), null))
        .submitAndTurn(request(3, 3));
    int[] sent = {0};
    Hop broken =
        (to, frame) -> {
          if (sent[0]++ == 0) {
            throw new OutOfMemoryError("no more");
          }
        };
    var sending = new PipeProcessor("o", List.of(), Mill.MODEL.end(), broken);
    sending.plan(new Pipe(1, "o", 4, List.of(new Pipe.Stretch("a", 0, 4))));
    assertThat(keep(new Mill(Mill.SETTINGS, sending, null)).submitAndTurn(request(3, 3)).result())
        .matches(result -> result.finish() == Finish.FAILED && result.reason().equals("no more"));
    Mill gone = spread("oaaa");
    gone.net.leave("a");
    assertThat(gone.submitAndTurn(request(3, 3)).result().reason()).isEqualTo("node a is gone");
    Mill listener = local();
    Listener throwing =
        new Listener() {
          @Override
          public void token(int id, String text, dev.millrace.engine.sample.Logprobs logprobs) {
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
    Mill fenced = spread("oaaa");
    fenced
        .others
        .getFirst()
        .plan(
            new Pipe(8, "o", 4, List.of(new Pipe.Stretch("o", 0, 1), new Pipe.Stretch("a", 1, 4))));
    assertThat(fenced.submitAndTurn(request(3, 3)).result().reason())
        .isEqualTo("node a: plan 7 is over");
    Mill astray = spread("oaaa");
    Heard lost = astray.submit(request(3, 3));
    astray.turn();
    astray.net.step();
    astray.net.send("a", astray.net.waiting("o").remove());
    astray.turnAll();
    assertThat(lost.result().finish()).as("it was released once").isEqualTo(Finish.LENGTH);
    Mill failing = spread("oaaa");
    Heard failed = failing.submit(request(3, 3));
    failing.turn();
    failing.net.step();
    failing.wheel.arrived(0, Forge.failed(failing.net.waiting("o").remove(), 7));
    failing.turnAll();
    assertThat(failed.result().reason()).isEqualTo("broken");
    local().processor.stray();
  }

  private Mill throwing(boolean inEmbedding) {
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
        new Mill(
            Mill.SETTINGS, PipeProcessor.local(List.of(broken), new BrokenEnd(inEmbedding)), null));
  }
}
