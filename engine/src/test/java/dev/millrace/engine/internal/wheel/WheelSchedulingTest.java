package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.WheelStats;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.Segment;
import dev.millrace.engine.internal.wheel.WheelHarness.Heard;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who gets which turn, and what a failing model does. */
@Timeout(60)
class WheelSchedulingTest {
  private final Random random = new Random(9);
  private final List<int[]> turns = new ArrayList<>(); // rows of each run

  private GenerationRequest request(int promptLength, int maxTokens) {
    return GenerationRequest.of(
            WheelHarness.prompt(random, promptLength), WheelHarness.warm(promptLength), maxTokens)
        .ignoringEnd();
  }

  /** A mill that notes each turn's runs, and fails where it is told to. */
  private WheelHarness mill(WheelSettings settings, Runnable before) {
    Segment inner = WheelHarness.MODEL.segment(settings.pages(), 0, 4);
    Segment noting =
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
            turns.add(Arrays.copyOf(batch.rowCount, batch.runs));
            before.run();
            inner.forward(batch);
          }
        };
    return new WheelHarness(
        settings, PipeProcessor.local(List.of(noting), WheelHarness.MODEL.end()), null);
  }

  private WheelHarness mill(WheelSettings settings) {
    return mill(settings, () -> {});
  }

  @Test
  void whileOthersDecodeAPromptIsComputedInBoundedChunks() {
    WheelHarness mill = mill(WheelHarness.SETTINGS.withRows(200, 40));
    Heard decoding = mill.submit(request(5, 100));
    mill.turn();
    mill.turn();
    turns.clear();
    Heard prompt = mill.submit(request(300, 2));
    int before = decoding.tokens.size();
    while (prompt.tokens.isEmpty()) {
      mill.turn();
    }
    assertThat(turns).hasSize(8);
    assertThat(turns).allSatisfy(runs -> assertThat(runs[1]).isLessThanOrEqualTo(40));
    // one token in each turn, whatever else was in it
    assertThat(decoding.tokens.size() - before).isEqualTo(turns.size());
    assertThat(prompt.progress).containsExactly(40, 80, 120, 160, 200, 240, 280);
  }

  @Test
  void whereNothingDecodesAPromptGetsAllRows() {
    WheelHarness mill = mill(WheelHarness.SETTINGS.withRows(200, 40));
    mill.submit(request(450, 1));
    mill.turnAll();
    assertThat(turns).containsExactly(new int[] {200}, new int[] {200}, new int[] {50});
  }

  @Test
  void promptsShareATurnEvenlyAndLeaveNothingUnused() {
    WheelHarness mill = mill(WheelHarness.SETTINGS.withRows(90, 40));
    mill.submit(request(200, 1));
    mill.submit(request(10, 1));
    mill.submit(request(200, 1));
    mill.turn();
    assertThat(turns.getFirst()).containsExactly(50, 10, 30);
    mill.turnAll();
    int rows = turns.stream().flatMapToInt(Arrays::stream).sum();
    assertThat(rows).isEqualTo(410);
    assertThat(turns).hasSize(5);
  }

  @Test
  void whoFollowsLeavesItsShareToItsLeader() {
    WheelHarness mill = mill(WheelHarness.SETTINGS.withPages(128).withRows(100, 40));
    GenerationRequest request = request(200, 1);
    mill.submit(request(200, 1));
    for (int i = 0; i < 4; i++) {
      mill.submit(request);
    }
    mill.turn();
    assertThat(turns.getFirst()).containsExactly(20, 80);
    mill.turnAll();
    assertThat(turns.stream().flatMapToInt(Arrays::stream).sum()).isEqualTo(2 * 200 + 3 * 8);
  }

  @Test
  void whereRowsAreFewerThanPromptsTheyTakeTurns() {
    WheelHarness mill = mill(WheelHarness.SETTINGS.withRows(16, 1));
    mill.submit(request(2, 200));
    mill.turn();
    List<Heard> prompts =
        List.of(
            mill.submit(request(12, 1)), mill.submit(request(12, 1)), mill.submit(request(12, 1)));
    for (int i = 0; i < 40; i++) {
      mill.turn();
    }
    assertThat(prompts).allMatch(heard -> heard.generation.isDone());
  }

  @Test
  void nobodyPassesAnotherInTheLine() {
    WheelHarness mill = mill(WheelHarness.SETTINGS.withPages(6));
    List<Integer> order = new ArrayList<>();
    int[] lengths = {100, 150, 2, 120, 2, 2, 90};
    for (int i = 0; i < lengths.length; i++) {
      int number = i;
      Heard heard = mill.submit(request(lengths[i], 3));
      heard.onToken =
          () -> {
            if (!order.contains(number)) {
              order.add(number);
            }
          };
    }
    mill.turnAll();
    assertThat(order).containsExactly(0, 1, 2, 3, 4, 5, 6);
  }

  @Test
  void theLastAdmittedGivesItsPagesUpAndTheFirstNever() {
    WheelHarness mill = mill(WheelHarness.SETTINGS.withPages(8));
    List<Heard> heard = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      heard.add(mill.submit(request(20 + i, 100)));
    }
    mill.turnAll();
    assertThat(heard).allMatch(h -> h.result().tokens().length == 100);
    assertThat(heard.getFirst().result().usage().preemptions()).isZero();
    assertThat(mill.wheel.stats().preemptions()).isPositive();
    assertThat(heard.stream().mapToInt(h -> h.result().usage().preemptions()).sum())
        .isEqualTo((int) mill.wheel.stats().preemptions());
  }

  @Test
  void aPreemptedOneFindsItsPagesAgainWhereNobodyNeededThem() {
    WheelHarness mill = mill(WheelHarness.SETTINGS.withPages(8));
    mill.submit(request(60, 70));
    Heard second = mill.submit(request(100, 70));
    mill.turnAll();
    assertThat(second.result().usage().preemptions()).isPositive();
    assertThat(mill.wheel.stats().prefixHits()).isPositive();
  }

  @Test
  void aModelThatThrowsFailsTheTurnsSequencesAndTheWheelGoesOn() {
    int[] forwards = {0};
    WheelHarness mill =
        mill(
            WheelHarness.SETTINGS,
            () -> {
              if (forwards[0]++ == 5) {
                throw new OutOfMemoryError("no more");
              }
            });
    GenerationRequest request = request(40, 30);
    Heard one = mill.submit(request);
    Heard two = mill.submit(request(40, 30));
    mill.turnAll();
    assertThat(one.result().finish()).isEqualTo(FinishReason.FAILED);
    assertThat(one.result().reason()).isEqualTo("no more");
    assertThat(one.result().refused()).as("another time it may go well").isFalse();
    assertThat(one.result().tokens()).hasSize(5);
    assertThat(two.result().finish()).isEqualTo(FinishReason.FAILED);
    assertThat(mill.wheel.stats().pagesUsed()).isZero();
    // what was computed before is still right, and is used
    Heard again = mill.submitAndTurn(request.resumedFrom(one.result().tokens()));
    assertThat(again.result().usage().cachedTokens()).isEqualTo(32);
    assertThat(again.result().tokens())
        .isEqualTo(
            new WheelHarness(WheelHarness.SETTINGS).submitAndTurn(request).result().tokens());
  }

  @Test
  void aHeadThatThrowsFailsThoseThatNeededIt() {
    FailingHead end = new FailingHead(false);
    WheelHarness mill =
        new WheelHarness(
            WheelHarness.SETTINGS.withRows(64, 16),
            PipeProcessor.local(WheelHarness.MODEL.cut(64, 0), end),
            null);
    Heard decoding = mill.submit(request(4, 50));
    mill.turn();
    Heard prompt = mill.submit(request(100, 5));
    end.inHead = true;
    mill.turn();
    end.inHead = false;
    mill.turnAll();
    assertThat(decoding.result().reason()).isEqualTo("head lost");
    assertThat(prompt.result().finish()).isEqualTo(FinishReason.LENGTH);
  }

  @Test
  void statsCountWhatWasDone() {
    WheelHarness mill = mill(WheelHarness.SETTINGS);
    mill.submit(request(40, 11));
    mill.submit(request(60, 11));
    mill.turnAll();
    WheelStats stats = mill.wheel.stats();
    assertThat(stats.turns()).isEqualTo(11);
    assertThat(stats.prefillTokens()).isEqualTo(100);
    assertThat(stats.decodeTokens()).isEqualTo(20);
    assertThat(stats.chosenTokens()).isEqualTo(22);
    assertThat(stats.ended()).isEqualTo(2);
    assertThat(stats.rowsPerTurn()).isBetween(10.9, 11.0);
    assertThat(stats.pagesCached()).isEqualTo(3);
    assertThat(stats.pagesFree() + stats.pagesCached() + stats.pagesUsed()).isEqualTo(64);
  }
}
