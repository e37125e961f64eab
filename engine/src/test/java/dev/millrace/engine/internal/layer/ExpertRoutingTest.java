package dev.millrace.engine.internal.layer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.config.FeedForwardConfig;
import dev.millrace.engine.internal.math.Arithmetic;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ExpertRoutingTest {
  private static ExpertRouting routing(boolean normalised, float... scores) {
    ExpertRouting routing =
        new ExpertRouting(
            Arithmetic.of(KernelType.SCALAR), new FeedForwardConfig(8, 4, 2, normalised, 1), 3);
    System.arraycopy(scores, 0, routing.scores, 0, scores.length);
    for (int row = 0; row < scores.length / 4; row++) {
      routing.choose(row);
    }
    routing.group(scores.length / 4);
    return routing;
  }

  @Test
  void equalExpertsAreTakenInTheOrderOfTheirNumbers() {
    ExpertRouting routing = routing(true, 1, 2, 2, 2);
    assertThat(Arrays.copyOf(routing.expert, 2)).containsExactly(1, 2);
    assertThat(Arrays.copyOf(routing.weight, 2)).containsExactly(0.5f, 0.5f);
  }

  @Test
  void weightsThatAreNotNormalisedAreProbabilities() {
    float log3 = (float) Math.log(3);
    assertThat(routing(false, 0, log3, 0, 0).weight[0]).isBetween(0.4999f, 0.5001f);
    assertThat(routing(true, 0, log3, 0, 0).weight[0]).isBetween(0.7499f, 0.7501f);
  }

  @Test
  void visitsToAnExpertLieTogetherInTheOrderOfTheRows() {
    ExpertRouting routing = routing(true, 9, 0, 0, 8, 0, 0, 8, 9, 8, 0, 0, 9);
    assertThat(routing.visits).isEqualTo(6);
    assertThat(Arrays.copyOf(routing.active, routing.activeCount)).containsExactly(0, 2, 3);
    assertThat(routing.first).containsExactly(0, 2, 2, 3, 6);
    assertThat(routing.rowOf).containsExactly(0, 2, 1, 0, 1, 2);
    assertThat(routing.visit).containsExactly(0, 3, 4, 2, 5, 1);
  }

  @Test
  void aNaNRowStillGetsExperts() {
    assertThat(Arrays.copyOf(routing(true, Float.NaN, 1, 2, 3).expert, 2)).containsExactly(0, 1);
  }
}
