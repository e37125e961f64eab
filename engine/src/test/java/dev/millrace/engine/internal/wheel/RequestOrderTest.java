package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.internal.wheel.WheelHarness.Heard;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Who goes first is what requests say, and then who came first. */
class RequestOrderTest {
  private final Random random = new Random(17);
  private final List<Integer> begun = new ArrayList<>();

  private GenerationRequest request(int promptLength, int maxTokens) {
    return GenerationRequest.of(
            WheelHarness.prompt(random, promptLength), WheelHarness.warm(promptLength), maxTokens)
        .ignoringEnd();
  }

  /** Notes the number when its first token is heard. */
  private Heard submit(WheelHarness mill, GenerationRequest request, int number) {
    Heard heard = mill.submit(request);
    heard.onToken =
        () -> {
          if (heard.tokens.size() == 1) {
            begun.add(number);
          }
        };
    return heard;
  }

  @Test
  void theLowerOrderIsAdmittedFirstHoweverTheyArrive() {
    for (int seed = 0; seed < 20; seed++) {
      List<Integer> orders = new ArrayList<>(IntStream.range(-20, 20).boxed().toList());
      Collections.shuffle(orders, new Random(seed));
      WheelHarness mill = new WheelHarness(WheelHarness.SETTINGS.withSequences(1 + seed % 3));
      begun.clear();
      for (int order : orders) {
        submit(mill, request(3, 3).withOrder(order), order);
      }
      mill.turnAll();
      assertThat(begun).as("seed %d", seed).hasSize(40).isSorted();
    }
  }

  @Test
  void equalOrdersAndNoneGoByArrival() {
    WheelHarness mill = new WheelHarness(WheelHarness.SETTINGS.withSequences(1));
    submit(mill, request(3, 2).withOrder(7), 4);
    submit(mill, request(3, 2), 2);
    submit(mill, request(3, 2).withOrder(7), 5);
    submit(mill, request(3, 2).withOrder(-1), 1);
    submit(mill, request(3, 2), 3);
    mill.turnAll();
    assertThat(begun).containsExactly(1, 2, 3, 4, 5);
  }

  @Test
  void oneThatComesLateGoesBeforeThoseThatWaitAndNotBeforeThoseInside() {
    WheelHarness mill = new WheelHarness(WheelHarness.SETTINGS.withSequences(1));
    submit(mill, request(3, 5).withOrder(10), 10);
    submit(mill, request(3, 5).withOrder(11), 11);
    mill.turn();
    submit(mill, request(3, 5).withOrder(1), 1);
    mill.turnAll();
    assertThat(begun).containsExactly(10, 1, 11);
  }

  @Test
  void pagesAreTakenFromTheHighestOrderAndNeverFromTheLowest() {
    WheelHarness mill = new WheelHarness(WheelHarness.SETTINGS.withPages(8));
    List<Heard> heard = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      heard.add(mill.submit(request(20 + i, 100).withOrder(-i)));
    }
    mill.turnAll();
    assertThat(heard).allMatch(h -> h.result().tokens().length == 100);
    assertThat(heard.getLast().result().usage().preemptions()).isZero();
    assertThat(heard.getFirst().result().usage().preemptions()).isPositive();
  }

  @Test
  void aPreemptedOneGoesBackToItsPlace() {
    WheelHarness mill = new WheelHarness(WheelHarness.SETTINGS.withPages(7).withSequences(2));
    submit(mill, request(60, 100).withOrder(1), 1);
    Heard second = submit(mill, request(60, 60).withOrder(2), 2);
    Heard third = submit(mill, request(3, 3).withOrder(3), 3);
    while (mill.wheel.stats().preemptions() == 0) {
      mill.turn();
    }
    assertThat(mill.wheel.stats().waiting()).isEqualTo(2);
    int before = second.tokens.size();
    third.onToken = () -> assertThat(second.tokens).hasSizeGreaterThan(before);
    mill.turnAll();
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
