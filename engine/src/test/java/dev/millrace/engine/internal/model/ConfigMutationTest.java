package dev.millrace.engine.internal.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.config.AlteredModelHeader;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.oracle.RandomModels;
import dev.millrace.engine.oracle.TinyShapes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Any metadata gives a configuration that fits the tensors, or an error that names what does not
 * fit.
 */
class ConfigMutationTest {
  private static final long SEED = 23;
  private static final int MUTATIONS = Boolean.getBoolean("millrace.proof") ? 5000 : 60;

  private static final List<Object> VALUES =
      List.of(
          0L,
          1L,
          -1L,
          2L,
          3L,
          7L,
          64L,
          1L << 24,
          1L << 31,
          Long.MAX_VALUE,
          Long.MIN_VALUE,
          0.0,
          -1.0,
          0.5,
          Double.NaN,
          Double.POSITIVE_INFINITY,
          "",
          "yarn",
          "longrope",
          true,
          false,
          new long[0],
          new long[] {1, 2},
          new boolean[] {true},
          new String[] {"a"},
          new double[] {1});

  private static final List<String> KEYS =
      List.of(
          "block_count",
          "context_length",
          "embedding_length",
          "feed_forward_length",
          "attention.head_count",
          "attention.head_count_kv",
          "attention.key_length",
          "attention.value_length",
          "attention.layer_norm_epsilon",
          "attention.layer_norm_rms_epsilon",
          "attention.sliding_window",
          "attention.sliding_window_pattern",
          "attention.scale",
          "attention.causal",
          "rope.dimension_count",
          "rope.freq_base",
          "rope.scaling.type",
          "rope.scaling.factor",
          "rope.scaling.attn_factor",
          "rope.scaling.original_context_length",
          "expert_count",
          "expert_used_count",
          "expert_feed_forward_length",
          "pooling_type",
          "attn_logit_softcapping",
          "final_logit_softcapping");

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"llama", "qwen3moe", "gemma3", "phi3", "gpt2", "bert"})
  void everyValueIsTakenOrRefused(String architecture) throws IOException {
    Path original =
        RandomModels.write(
            directory.resolve("original.gguf"),
            TinyShapes.shape(architecture),
            TensorType.F32,
            SEED);
    Random random = new Random(SEED);
    for (int i = 0; i < MUTATIONS; i++) {
      String key = KEYS.get(random.nextInt(KEYS.size()));
      Object value = VALUES.get(random.nextInt(VALUES.size()));
      Path forged =
          new AlteredModelHeader(original)
              .with(architecture + "." + key, value)
              .write(directory.resolve("forged.gguf"));
      try (Gguf gguf = Gguf.open(forged)) {
        ModelConfig.of(gguf);
        new PlainModel(forged, PlainModel.settings().withContext(16)).close();
      } catch (EngineException e) {
        assertThat(e)
            .as("%s = %s, seed %d", key, value, SEED)
            .hasMessageMatching("(?s).*('|too large|more than the).*");
      }
    }
  }
}
