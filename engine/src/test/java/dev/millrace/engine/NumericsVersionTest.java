package dev.millrace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.Pooling;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.internal.gguf.TensorType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The recorded output of this version of the arithmetic. Jobs are resumed and results are verified
 * if {@link NumericsVersion#CURRENT} is the same: then this output must be the same, too.
 */
@Timeout(60)
class NumericsVersionTest {
  private static final int WRITTEN_AT = 1;
  private static final int[] GREEDY = {
    43, 213, 134, 190, 275, 181, 133, 316, 121, 62, 58, 212, 127, 137, 137, 6, 20, 108, 138, 27, 64,
    148, 132, 77
  };
  private static final int[] SAMPLED = {
    165, 286, 193, 156, 113, 313, 25, 314, 133, 312, 123, 62, 211, 26, 0, 162, 23, 206, 248, 288,
    153, 90, 133, 105
  };

  /** A digest of all bits of a vector, by model: any different rounding shows in one of them. */
  private static final Map<String, Integer> VECTORS =
      Map.of(
          "gemma2 Q4_1", -1432971460,
          "gemma3 Q8_0", -1502981326,
          "gpt2 BF16", 2124834707,
          "llama F16 odd", -1957832989,
          "llama Q4_0", 1775844859,
          "llama Q4_K_M", 1751980535,
          "llama Q8_0 long", 149337475,
          "phi3 Q5_0", 1992087501,
          "qwen3moe IQ4_NL", 1026600770);

  private static final String RULE =
      "this change alters outputs: raise NumericsVersion.CURRENT, and record the new output here";

  private static final String TEXT = "Once upon a time, 1234 mills turned.";
  private static final EngineSettings SETTINGS =
      EngineSettings.usual().withThreads(2).withContext(128);

  @TempDir Path directory;

  @Test
  void writtenFilesHaveThisVersion() {
    assertThat(NumericsVersion.CURRENT).as(RULE).isEqualTo(WRITTEN_AT);
  }

  @Test
  void theTokensAreThoseOfThisVersion() throws Exception {
    assertThat(tokens(Sampling.greedy())).as(RULE).isEqualTo(GREEDY);
    Sampling sampling =
        Sampling.builder()
            .temperature(1.5)
            .topK(60)
            .topP(0.97)
            .minP(0.001)
            .repetitionPenalty(1.1)
            .penaltyWindow(16)
            .seed(42)
            .build();
    assertThat(tokens(sampling)).as(RULE).isEqualTo(SAMPLED);
  }

  private int[] tokens(Sampling sampling) throws Exception {
    Path model = TinyModel.of("llama", TensorType.Q8_0).in(directory);
    try (Engine engine = Engine.open(model, SETTINGS)) {
      GenerationRequest request =
          GenerationRequest.of(engine.prompts().raw(TEXT), sampling, 24).ignoringEnd();
      return engine.submit(request, (id, text, logprobs) -> {}).await().tokens();
    }
  }

  @Test
  void theVectorsAreThoseOfThisVersion() throws IOException {
    Map<String, Integer> vectors = new TreeMap<>();
    for (TinyModel model : TinyModel.USUAL) {
      try (Embeddings embeddings = Embeddings.open(model.in(directory), SETTINGS)) {
        int[][] texts = {embeddings.tokenizer().encode(TEXT, true, true)};
        float[] vector = embeddings.embed(texts, Pooling.MEAN, true)[0];
        vectors.put(model.name(), Arrays.hashCode(vector));
      }
    }
    assertThat(vectors).as(RULE).isEqualTo(VECTORS);
  }
}
