package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.internal.wheel.WheelHarness.RecordingListener;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Requests are admitted by their order, then by their arrival. */
class RequestOrderTest {
  private final Random random = new Random(17);
  private final List<Integer> begun = new ArrayList<>();

  private GenerationRequest request(int promptLength, int maxTokens) {
    return GenerationRequest.of(
            WheelHarness.prompt(random, promptLength), WheelHarness.warm(promptLength), maxTokens)
        .ignoringEnd();
  }

  /** Records the number when the first token arrives. */
  private RecordingListener submit(WheelHarness harness, GenerationRequest request, int number) {
    RecordingListener recorded = harness.submit(request);
    recorded.onToken =
        () -> {
          if (recorded.tokens.size() == 1) {
            begun.add(number);
          }
        };
    return recorded;
  }

  @Test
  void theLowerOrderIsAdmittedFirstHoweverTheyArrive() {
    for (int seed = 0; seed < 20; seed++) {
      List<Integer> orders = new ArrayList<>(IntStream.range(-20, 20).boxed().toList());
      Collections.shuffle(orders, new Random(seed));
      WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withSequences(1 + seed % 3));
      begun.clear();
      for (int order : orders) {
        submit(harness, request(3, 3).withOrder(order), order);
      }
      harness.turnAll();
      assertThat(begun).as("seed %d", seed).hasSize(40).isSorted();
    }
  }

  @Test
  void equalOrdersAndNoneGoByArrival() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withSequences(1));
    submit(harness, request(3, 2).withOrder(7), 4);
    submit(harness, request(3, 2), 2);
    submit(harness, request(3, 2).withOrder(7), 5);
    submit(harness, request(3, 2).withOrder(-1), 1);
    submit(harness, request(3, 2), 3);
    harness.turnAll();
    assertThat(begun).containsExactly(1, 2, 3, 4, 5);
  }

  @Test
  void aLateLowerOrderOvertakesWaitingSequencesButNotAdmittedOnes() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withSequences(1));
    submit(harness, request(3, 5).withOrder(10), 10);
    submit(harness, request(3, 5).withOrder(11), 11);
    harness.turn();
    submit(harness, request(3, 5).withOrder(1), 1);
    harness.turnAll();
    assertThat(begun).containsExactly(10, 1, 11);
  }

  @Test
  void pagesAreTakenFromTheHighestOrderAndNeverFromTheLowest() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withPages(8));
    List<RecordingListener> recorded = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      recorded.add(harness.submit(request(20 + i, 100).withOrder(-i)));
    }
    harness.turnAll();
    assertThat(recorded).allMatch(h -> h.result().tokens().length == 100);
    assertThat(recorded.getLast().result().usage().preemptions()).isZero();
    assertThat(recorded.getFirst().result().usage().preemptions()).isPositive();
  }

  @Test
  void aPreemptedSequenceReturnsToItsPositionInTheQueue() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withPages(7).withSequences(2));
    submit(harness, request(60, 100).withOrder(1), 1);
    RecordingListener second = submit(harness, request(60, 60).withOrder(2), 2);
    RecordingListener third = submit(harness, request(3, 3).withOrder(3), 3);
    while (harness.wheel.stats().preemptions() == 0) {
      harness.turn();
    }
    assertThat(harness.wheel.stats().waiting()).isEqualTo(2);
    int before = second.tokens.size();
    third.onToken = () -> assertThat(second.tokens).hasSizeGreaterThan(before);
    harness.turnAll();
    assertThat(third.result().finish()).isEqualTo(FinishReason.LENGTH);
  }

  @Test
  void aRequestKeepsItsOrder() {
    GenerationRequest request = request(3, 3).withOrder(5);
    assertThat(request.withStops(List.of("x")).ignoringEnd().resumedFrom(new int[] {4}).order())
        .isEqualTo(5);
    assertThat(request(3, 3).order()).isZero();
  }
}
