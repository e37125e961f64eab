package dev.millrace.engine.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.sample.Sampler;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

final class SamplingTest {

  @Test
  void badSettingsNameTheFieldTheValueAndTheRule() {
    refused(b -> b.temperature(-0.5), "temperature is -0.5; it must be between 0 and 100");
    refused(b -> b.temperature(Double.NaN), "temperature is NaN");
    refused(b -> b.topK(-1), "topK is -1; it must be at least 0");
    refused(b -> b.topP(0), "topP is 0.0; it must be above 0");
    refused(b -> b.topP(1.01), "topP is 1.01");
    refused(b -> b.minP(-0.1), "minP is -0.1");
    refused(b -> b.repetitionPenalty(0), "repetitionPenalty is 0.0");
    refused(b -> b.presencePenalty(Double.POSITIVE_INFINITY), "presencePenalty is Infinity");
    refused(b -> b.frequencyPenalty(Double.NaN), "frequencyPenalty is NaN");
    refused(b -> b.penaltyWindow(-2), "penaltyWindow is -2");
    refused(b -> b.logprobs(21), "logprobs is 21; it must be between 0 and 20");
    refused(b -> b.logitBias(Map.of(-1, 1f)), "logitBias is -1");
    refused(b -> b.logitBias(Map.of(3, Float.NaN)), "logitBias[3] is NaN");
  }

  @Test
  void aBiasForATokenOutsideTheVocabularyIsRejected() {
    Sampling sampling = Sampling.builder().logitBias(Map.of(8, 1f)).build();
    assertThatThrownBy(() -> new Sampler(sampling, 8))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("token 8")
        .hasMessageContaining("0 to 7");
  }

  @Test
  void settingsDoNotChangeWithTheMapTheyWereMadeOf() {
    Map<Integer, Float> bias = new HashMap<>(Map.of(1, 2f));
    Sampling sampling = Sampling.builder().logitBias(bias).build();
    bias.clear();
    assertThat(sampling.logitBias()).containsExactly(Map.entry(1, 2f));
    assertThat(sampling.toBuilder().build()).isEqualTo(sampling);
  }

  private static void refused(UnaryOperator<Sampling.Builder> change, String message) {
    assertThatThrownBy(() -> change.apply(Sampling.builder()).build())
        .isInstanceOf(EngineException.class)
        .hasMessageContaining(message);
  }
}
