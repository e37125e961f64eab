package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.WheelStats;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.Segment;
import dev.millrace.engine.internal.wheel.WheelHarness.RecordingListener;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which sequences get a turn, and what a failing model does. */
@Timeout(60)
class WheelSchedulingTest {
  private final Random random = new Random(9);
  private final List<int[]> turns = new ArrayList<>(); // rows of each run

  private GenerationRequest request(int promptLength, int maxTokens) {
    return GenerationRequest.of(
            WheelHarness.prompt(random, promptLength), WheelHarness.warm(promptLength), maxTokens)
        .ignoringEnd();
  }

  /** A harness that records the runs of each turn, and fails on request. */
  private WheelHarness harness(WheelSettings settings, Runnable before) {
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

  private WheelHarness harness(WheelSettings settings) {
    return harness(settings, () -> {});
  }

  @Test
  void whileOthersDecodeAPromptIsComputedInBoundedChunks() {
    WheelHarness harness = harness(WheelHarness.SETTINGS.withRows(200, 40));
    RecordingListener decoding = harness.submit(request(5, 100));
    harness.turn();
    harness.turn();
    turns.clear();
    RecordingListener prompt = harness.submit(request(300, 2));
    int before = decoding.tokens.size();
    while (prompt.tokens.isEmpty()) {
      harness.turn();
    }
    assertThat(turns).hasSize(8);
    assertThat(turns).allSatisfy(runs -> assertThat(runs[1]).isLessThanOrEqualTo(40));
    // one token in each turn, whatever else was in it
    assertThat(decoding.tokens.size() - before).isEqualTo(turns.size());
    assertThat(prompt.progress).containsExactly(40, 80, 120, 160, 200, 240, 280);
  }

  @Test
  void aPromptGetsAllRowsIfNothingDecodes() {
    WheelHarness harness = harness(WheelHarness.SETTINGS.withRows(200, 40));
    harness.submit(request(450, 1));
    harness.turnAll();
    assertThat(turns).containsExactly(new int[] {200}, new int[] {200}, new int[] {50});
  }

  @Test
  void promptsShareATurnEvenlyAndLeaveNothingUnused() {
    WheelHarness harness = harness(WheelHarness.SETTINGS.withRows(90, 40));
    harness.submit(request(200, 1));
    harness.submit(request(10, 1));
    harness.submit(request(200, 1));
    harness.turn();
    assertThat(turns.getFirst()).containsExactly(50, 10, 30);
    harness.turnAll();
    int rows = turns.stream().flatMapToInt(Arrays::stream).sum();
    assertThat(rows).isEqualTo(410);
    assertThat(turns).hasSize(5);
  }

  @Test
  void aFollowerGivesItsShareToItsLeader() {
    WheelHarness harness = harness(WheelHarness.SETTINGS.withPages(128).withRows(100, 40));
    GenerationRequest request = request(200, 1);
    harness.submit(request(200, 1));
    for (int i = 0; i < 4; i++) {
      harness.submit(request);
    }
    harness.turn();
    assertThat(turns.getFirst()).containsExactly(20, 80);
    harness.turnAll();
    assertThat(turns.stream().flatMapToInt(Arrays::stream).sum()).isEqualTo(2 * 200 + 3 * 8);
  }

  @Test
  void promptsTakeTurnsIfThereAreFewerRows() {
    WheelHarness harness = harness(WheelHarness.SETTINGS.withRows(16, 1));
    harness.submit(request(2, 200));
    harness.turn();
    List<RecordingListener> prompts =
        List.of(
            harness.submit(request(12, 1)),
            harness.submit(request(12, 1)),
            harness.submit(request(12, 1)));
    for (int i = 0; i < 40; i++) {
      harness.turn();
    }
    assertThat(prompts).allMatch(recorded -> recorded.generation.isDone());
  }

  @Test
  void noSequenceOvertakesAnotherInTheQueue() {
    WheelHarness harness = harness(WheelHarness.SETTINGS.withPages(6));
    List<Integer> order = new ArrayList<>();
    int[] lengths = {100, 150, 2, 120, 2, 2, 90};
    for (int i = 0; i < lengths.length; i++) {
      int number = i;
      RecordingListener recorded = harness.submit(request(lengths[i], 3));
      recorded.onToken =
          () -> {
            if (!order.contains(number)) {
              order.add(number);
            }
          };
    }
    harness.turnAll();
    assertThat(order).containsExactly(0, 1, 2, 3, 4, 5, 6);
  }

  @Test
  void theLastAdmittedIsPreemptedAndTheFirstNever() {
    WheelHarness harness = harness(WheelHarness.SETTINGS.withPages(8));
    List<RecordingListener> recorded = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      recorded.add(harness.submit(request(20 + i, 100)));
    }
    harness.turnAll();
    assertThat(recorded).allMatch(h -> h.result().tokens().length == 100);
    assertThat(recorded.getFirst().result().usage().preemptions()).isZero();
    assertThat(harness.wheel.stats().preemptions()).isPositive();
    assertThat(recorded.stream().mapToInt(h -> h.result().usage().preemptions()).sum())
        .isEqualTo((int) harness.wheel.stats().preemptions());
  }

  @Test
  void aPreemptedSequenceFindsItsPagesAgainIfTheyWereNotNeeded() {
    WheelHarness harness = harness(WheelHarness.SETTINGS.withPages(8));
    harness.submit(request(60, 70));
    RecordingListener second = harness.submit(request(100, 70));
    harness.turnAll();
    assertThat(second.result().usage().preemptions()).isPositive();
    assertThat(harness.wheel.stats().prefixHits()).isPositive();
  }

  @Test
  void aModelThatThrowsFailsTheSequencesOfTheTurnAndTheWheelContinues() {
    int[] forwards = {0};
    WheelHarness harness =
        harness(
            WheelHarness.SETTINGS,
            () -> {
              if (forwards[0]++ == 5) {
                throw new OutOfMemoryError("no more");
              }
            });
    GenerationRequest request = request(40, 30);
    RecordingListener one = harness.submit(request);
    RecordingListener two = harness.submit(request(40, 30));
    harness.turnAll();
    assertThat(one.result().finish()).isEqualTo(FinishReason.FAILED);
    assertThat(one.result().reason()).isEqualTo("no more");
    assertThat(one.result().refused()).as("another time it may go well").isFalse();
    assertThat(one.result().tokens()).hasSize(5);
    assertThat(two.result().finish()).isEqualTo(FinishReason.FAILED);
    assertThat(harness.wheel.stats().pagesUsed()).isZero();
    // what was computed before is still valid, and is used
    RecordingListener again = harness.submitAndTurn(request.resumedFrom(one.result().tokens()));
    assertThat(again.result().usage().cachedTokens()).isEqualTo(32);
    assertThat(again.result().tokens())
        .isEqualTo(
            new WheelHarness(WheelHarness.SETTINGS).submitAndTurn(request).result().tokens());
  }

  @Test
  void aHeadThatThrowsFailsTheSequencesThatNeededIt() {
    FailingHead end = new FailingHead(false);
    WheelHarness harness =
        new WheelHarness(
            WheelHarness.SETTINGS.withRows(64, 16),
            PipeProcessor.local(WheelHarness.MODEL.cut(64, 0), end),
            null);
    RecordingListener decoding = harness.submit(request(4, 50));
    harness.turn();
    RecordingListener prompt = harness.submit(request(100, 5));
    end.inHead = true;
    harness.turn();
    end.inHead = false;
    harness.turnAll();
    assertThat(decoding.result().reason()).isEqualTo("head lost");
    assertThat(prompt.result().finish()).isEqualTo(FinishReason.LENGTH);
  }

  @Test
  void statsCountTheWork() {
    WheelHarness harness = harness(WheelHarness.SETTINGS);
    harness.submit(request(40, 11));
    harness.submit(request(60, 11));
    harness.turnAll();
    WheelStats stats = harness.wheel.stats();
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
