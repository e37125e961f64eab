package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.internal.wheel.WheelHarness.RecordingListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Interactive requests come before the queue, and the queue stays alive. */
@Timeout(60)
class InteractiveRequestTest {
  private final Random random = new Random(23);
  private final List<GenerationRequest> requests = new ArrayList<>();
  private final List<RecordingListener> recorded = new ArrayList<>();

  private GenerationRequest request(int promptLength, int maxTokens) {
    return GenerationRequest.of(
            WheelHarness.prompt(random, promptLength), WheelHarness.warm(promptLength), maxTokens)
        .ignoringEnd();
  }

  private RecordingListener submit(WheelHarness harness, GenerationRequest request) {
    RecordingListener listener = harness.submit(request);
    requests.add(request);
    recorded.add(listener);
    return listener;
  }

  private List<RecordingListener> submitQueue(WheelHarness harness, int count, int maxTokens) {
    List<RecordingListener> queued = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      queued.add(submit(harness, request(10 + i, maxTokens)));
    }
    return queued;
  }

  private RecordingListener submitInteractive(WheelHarness harness, int prompt, int maxTokens) {
    return submit(harness, request(prompt, maxTokens).withInteractive(true));
  }

  private void checkAll() {
    for (int i = 0; i < requests.size(); i++) {
      GenerationRequest request = requests.get(i);
      RecordingListener alone =
          new WheelHarness(WheelHarness.SETTINGS).submitAndTurn(request.withInteractive(false));
      assertThat(recorded.get(i).result().tokens()).isEqualTo(alone.result().tokens());
      assertThat(recorded.get(i).text.toString()).isEqualTo(alone.text.toString());
    }
  }

  private static int turnsToFirstToken(WheelHarness harness, RecordingListener listener) {
    int turns = 0;
    while (listener.tokens.isEmpty()) {
      harness.turn();
      assertThat(++turns).as("turns without a token").isLessThan(1000);
    }
    return turns;
  }

  @Test
  void withAllSlotsBusyItTakesTheSlotOfTheYoungestAtOnce() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withSequences(8));
    List<RecordingListener> queued = submitQueue(harness, 12, 60);
    for (int i = 0; i < 10; i++) {
      harness.turn();
    }
    RecordingListener interactive = submitInteractive(harness, 100, 20);
    assertThat(turnsToFirstToken(harness, interactive)).isEqualTo(1);
    assertThat(harness.wheel.stats().preemptions()).isEqualTo(1);
    harness.turnAll();
    checkAll();
    assertThat(queued.get(7).result().usage().preemptions()).isEqualTo(1);
    assertThat(interactive.result().usage().preemptions()).isZero();
  }

  @Test
  void waitingOnesAreAdmittedBeforeTheQueue() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withSequences(2));
    submitQueue(harness, 6, 30);
    RecordingListener late = submitInteractive(harness, 20, 5);
    harness.turn();
    assertThat(late.tokens).hasSize(1);
    harness.turnAll();
    checkAll();
  }

  @Test
  void anEighthOfTheSlotsStaysWithTheQueue() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withSequences(16).withPages(128));
    List<RecordingListener> queued = submitQueue(harness, 20, 50);
    harness.turn();
    List<RecordingListener> interactive = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      interactive.add(submitInteractive(harness, 5, 50));
    }
    harness.turn();
    assertThat(interactive.stream().filter(it -> !it.tokens.isEmpty())).hasSize(14);
    harness.turn();
    assertThat(queued.stream().filter(it -> it.tokens.size() == 3)).hasSize(2);
    assertThat(queued.stream().filter(it -> it.tokens.size() == 1)).hasSize(14);
    harness.turnAll();
    checkAll();
  }

  /** Under interactive requests without end, the whole queue is computed. */
  @ParameterizedTest
  @CsvSource({
    "1, 64, true",
    "2, 64, true",
    "8, 64, true",
    "8, 8, true",
    "8, 8, false",
    "1, 8, false"
  })
  void theQueueDoesNotStarve(int slots, int pages, boolean reuse) {
    WheelSettings settings =
        WheelHarness.SETTINGS.withSequences(slots).withPages(pages).withPrefixReuse(reuse);
    WheelHarness harness = new WheelHarness(settings.withRows(40, 8));
    List<RecordingListener> queued = submitQueue(harness, 6, 80);
    List<RecordingListener> waiting = new ArrayList<>();
    int turns = 0;
    while (!queued.stream().allMatch(it -> it.generation.isDone())) {
      waiting.removeIf(it -> it.generation.isDone());
      while (waiting.size() < slots + 4) {
        waiting.add(submitInteractive(harness, 30 + waiting.size(), 12));
      }
      harness.turn();
      assertThat(++turns).as("turns").isLessThan(6000);
    }
    assertThat(waiting).hasSizeGreaterThan(4);
    waiting.forEach(it -> it.generation.cancel());
    harness.turnAll();
    queued.forEach(it -> assertThat(it.result().tokens()).hasSize(80));
    requests.removeIf(GenerationRequest::interactive);
    recorded.retainAll(queued);
    checkAll();
  }

  @Test
  void theOnlySlotIsTakenFromTheQueueAfterSomeProgress() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withSequences(1));
    RecordingListener queued = submit(harness, request(10, 100));
    harness.turn();
    RecordingListener first = submitInteractive(harness, 10, 5);
    RecordingListener second = submitInteractive(harness, 10, 5);
    turnsToFirstToken(harness, first);
    assertThat(queued.tokens).as("10 of the prompt, 22 others are computed").hasSize(23);
    turnsToFirstToken(harness, second);
    assertThat(first.generation.isDone()).isTrue();
    assertThat(queued.tokens).as("it had its turn in between").hasSizeGreaterThan(23);
    harness.turnAll();
    checkAll();
  }

  @Test
  void withoutPagesItPreemptsTheQueueAsWithoutSlots() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withSequences(4).withPages(8));
    List<RecordingListener> queued =
        List.of(submit(harness, request(100, 80)), submit(harness, request(90, 80)));
    harness.turn();
    harness.turn();
    assertThat(harness.wheel.stats().admitted()).isEqualTo(2);
    RecordingListener interactive = submitInteractive(harness, 90, 10);
    assertThat(turnsToFirstToken(harness, interactive)).isEqualTo(1);
    assertThat(queued.getFirst().tokens).as("the older one continues").hasSize(3);
    harness.turnAll();
    checkAll();
  }

  @Test
  void itsPromptGetsItsRowsFirstAndOthersKeepAFew() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withRows(200, 40));
    submit(harness, request(5, 50));
    harness.turn();
    RecordingListener queued = submit(harness, request(300, 5));
    harness.turn();
    assertThat(queued.progress).containsExactly(40);
    RecordingListener interactive = submitInteractive(harness, 250, 5);
    harness.turn();
    assertThat(interactive.progress).containsExactly(200 - 1 - 5);
    assertThat(queued.progress).containsExactly(40, 45);
    harness.turn();
    assertThat(interactive.tokens).hasSize(1);
    assertThat(queued.progress).containsExactly(40, 45, 50);
    harness.turnAll();
    checkAll();
  }

  @Test
  void aLeaderOfAnInteractiveSequenceIsComputedFirst() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withRows(200, 16));
    submit(harness, request(5, 60));
    harness.turn();
    GenerationRequest leading = request(300, 5);
    submit(harness, leading);
    harness.turn();
    RecordingListener follower = submit(harness, leading.withInteractive(true));
    assertThat(turnsToFirstToken(harness, follower)).isLessThan(5);
    harness.turnAll();
    checkAll();
  }

  @ParameterizedTest
  @CsvSource({"oabb, 2", "oaba, 3"})
  void sequencesInFlightAreLeftAloneAndTheOthersMakeRoom(String nodes, int groups) {
    for (int seed = 0; seed < 10; seed++) {
      WheelSettings settings = WheelHarness.SETTINGS.withSequences(4).withGroups(groups);
      WheelHarness harness = WheelHarness.spread(settings, nodes, seed);
      requests.clear();
      recorded.clear();
      submitQueue(harness, 8, 40);
      for (int i = 0; i < 20 + seed; i++) {
        harness.turn();
        harness.net.step();
      }
      RecordingListener interactive = submitInteractive(harness, 30, 10);
      long before = harness.wheel.stats().chosenTokens();
      while (interactive.tokens.isEmpty()) {
        assertThat(harness.turn() | harness.net.step()).isTrue();
      }
      assertThat(harness.wheel.stats().chosenTokens() - before).isLessThan(20);
      harness.turnAll();
      checkAll();
    }
  }
}
