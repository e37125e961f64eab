package dev.millrace.server.infer.parameters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.gguf.GgufMetadata;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where sampling parameters come from, and which source wins. */
class SamplingParametersTest {
  private static final GgufMetadata FILE =
      new GgufMetadata(
          Map.of(
              "general.sampling.temp",
              0.7f + 0.0,
              "general.sampling.top_k",
              20L,
              "general.sampling.top_p",
              (double) 0.95f,
              "general.sampling.penalty_repeat",
              (double) 1.05f,
              "general.sampling.penalty_last_n",
              -1L));

  @Test
  void theBuiltInValuesAreThoseOfNrvna() {
    assertThat(SamplingParameters.builtIn())
        .isEqualTo(new SamplingParameters(2048, 0.8, 40, 0.9, 0.05, 1.1, 64, null, true));
  }

  @Test
  void valuesOfAModelFileAreReadAsDecimals() {
    assertThat(SamplingParameters.fromMetadata(FILE))
        .isEqualTo(new SamplingParameters(null, 0.7, 20, 0.95, null, 1.05, -1, null, null));
    assertThat(SamplingParameters.fromMetadata(new GgufMetadata(Map.of())))
        .isEqualTo(SamplingParameters.unset());
  }

  @Test
  void familiesAreRecognizedByName() {
    assertThat(SamplingParameters.forModelFamily("Qwen2.5-Coder-7B").temperature()).isEqualTo(0.3);
    assertThat(SamplingParameters.forModelFamily("codellama").temperature()).isEqualTo(0.3);
    assertThat(SamplingParameters.forModelFamily("DeepSeek-V2").temperature()).isEqualTo(0.6);
    assertThat(SamplingParameters.forModelFamily("qwen3-r1").temperature()).isEqualTo(0.6);
    assertThat(SamplingParameters.forModelFamily("llama").temperature()).isNull();
    assertThat(SamplingParameters.forModelFamily("deepseek-ai/llama").temperature()).isNull();
  }

  @Test
  void theFirstSourceThatSetsAValueDecides() {
    SamplingParameters merged =
        SamplingParameters.builder()
            .topK(5)
            .build()
            .orElse(SamplingParameters.fromMetadata(FILE))
            .orElse(SamplingParameters.forModelFamily("coder"))
            .orElse(SamplingParameters.builtIn());
    assertThat(merged)
        .isEqualTo(new SamplingParameters(2048, 0.7, 5, 0.95, 0.05, 1.05, -1, null, true));
  }
}
