package dev.millrace.engine.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorInfo;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.oracle.RandomModels;
import dev.millrace.engine.oracle.TinyShapes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModelConfigTest {
  @TempDir static Path directory;

  private static Path original(String architecture) throws IOException {
    Path file = directory.resolve(architecture);
    return Files.exists(file)
        ? file
        : RandomModels.write(file, TinyShapes.shape(architecture), TensorType.F16, 1);
  }

  private static ModelConfig read(String architecture, UnaryOperator<AlteredModelHeader> change)
      throws IOException {
    Path forged =
        change
            .apply(new AlteredModelHeader(original(architecture)))
            .write(directory.resolve("forged.gguf"));
    try (Gguf gguf = Gguf.open(forged)) {
      return ModelConfig.of(gguf);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "llama",
        "qwen2",
        "qwen3",
        "qwen3moe",
        "gemma2",
        "gemma3",
        "phi3",
        "gpt2",
        "bert",
        "nomic-bert"
      })
  void everyTensorMustBeThereInItsShape(String architecture) throws IOException {
    try (Gguf gguf = Gguf.open(original(architecture))) {
      List<TensorInfo> some =
          gguf.tensors().stream()
              .filter(tensor -> !tensor.name().matches("blk\\.[^1]+\\..*"))
              .toList();
      for (TensorInfo tensor : some) {
        String name = tensor.name();
        boolean freeRows = name.equals("token_embd.weight") || name.equals("token_types.weight");
        long[] shape = tensor.shape().clone();
        shape[freeRows ? 0 : shape.length - 1]++;
        assertThatThrownBy(
                () -> read(architecture, forgery -> forgery.with(name, tensor.type(), shape)))
            .isInstanceOf(EngineException.class)
            .hasMessageContaining("forged.gguf: tensor '" + name + "' has shape (" + shape[0])
            .hasMessageContaining("expected (");
        if (!name.equals("output.weight") && !name.equals("token_types.weight")) {
          assertThatThrownBy(() -> read(architecture, forgery -> forgery.withoutTensor(name)))
              .isInstanceOf(EngineException.class)
              .hasMessageContaining("forged.gguf: tensor '");
        }
      }
    }
  }

  @Test
  void missingTensorIsNamedWithItsShape() {
    assertThatThrownBy(
            () -> read("llama", forgery -> forgery.withoutTensor("blk.1.ffn_down.weight")))
        .isInstanceOf(EngineException.class)
        .hasMessageEndingWith(
            "forged.gguf: tensor 'blk.1.ffn_down.weight' is missing, expected shape (128, 64)");
  }

  @Test
  void anUnusedTensorIsRejected() {
    assertThatThrownBy(
            () ->
                read(
                    "llama", forgery -> forgery.with("blk.1.attn_sinks.weight", TensorType.F32, 4)))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("'blk.1.attn_sinks.weight' is no part");
  }

  @Test
  void typeThatCannotBeReadIsNamedWithItsTensor() {
    assertThatThrownBy(
            () ->
                read(
                    "llama",
                    forgery -> forgery.with("blk.0.attn_q.weight", TensorType.MXFP4, 64, 128)))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("'blk.0.attn_q.weight' has type MXFP4")
        .hasMessageContaining("IQ4_XS");
  }

  @Test
  void unknownArchitectureIsNamedWithTheKnownOnes() {
    assertThatThrownBy(
            () -> read("llama", forgery -> forgery.with("general.architecture", "mamba")))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("'mamba'")
        .hasMessageContaining(
            "llama, qwen2, qwen3, qwen3moe, gemma2, gemma3, phi3, gpt2, bert, nomic-bert");
  }

  static Stream<Arguments> refused() {
    return Stream.of(
        Arguments.of("llama", "rope.scaling.type", "su", "'su'"),
        Arguments.of("llama", "rope.scaling.yarn_log_multiplier", 0.1, "YaRN"),
        Arguments.of("llama", "ssm.conv_kernel", 4L, "state space"),
        Arguments.of("llama", "attention.causal", false, "both directions"),
        Arguments.of("llama", "attention.max_alibi_bias", 8.0, "ALiBi"),
        Arguments.of("llama", "logit_scale", 0.5, "scaled logits"),
        Arguments.of("llama", "attention.head_count_kv", new long[] {2, 1}, "layers that differ"),
        Arguments.of("qwen3moe", "expert_gating_func", 2L, "gating function"),
        Arguments.of("qwen3moe", "expert_shared_count", 1L, "shared experts"),
        Arguments.of("qwen2", "expert_count", 8L, "experts"),
        Arguments.of("bert", "pooling_type", 4L, "ranking"));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void whatIsNotComputedIsRefusedByItsKey(
      String architecture, String key, Object value, String feature) {
    String name = architecture + "." + key;
    assertThatThrownBy(() -> read(architecture, forgery -> forgery.with(name, value)))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("'" + name + "' asks for ")
        .hasMessageContaining(feature)
        .hasMessageContaining("not supported");
  }

  @ParameterizedTest
  @CsvSource({
    "block_count, 0",
    "block_count, 99999999999",
    "embedding_length, -1",
    "context_length, 0",
    "attention.head_count, 0",
    "attention.head_count_kv, 3",
    "rope.dimension_count, 31",
    "rope.dimension_count, 34",
    "feed_forward_length, 0",
    "attention.sliding_window, -1"
  })
  void numberOutOfItsRangeIsNamed(String key, long value) {
    assertThatThrownBy(() -> read("llama", forgery -> forgery.with("llama." + key, value)))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("'llama." + key + "'")
        .hasMessageContaining(Long.toString(value))
        .hasMessageContaining("expected");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "block_count",
        "embedding_length",
        "context_length",
        "feed_forward_length",
        "attention.head_count",
        "attention.layer_norm_rms_epsilon"
      })
  void missingKeyIsNamed(String key) {
    assertThatThrownBy(() -> read("llama", forgery -> forgery.without("llama." + key)))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("'llama." + key + "' is missing");
  }

  @Test
  void valueOfAnotherTypeIsNamed() {
    assertThatThrownBy(
            () -> read("llama", forgery -> forgery.with("llama.embedding_length", "wide")))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("'llama.embedding_length' is 'wide'");
  }

  @Test
  void gemma3FromOllamaIsSupported() throws IOException {
    ModelConfig config =
        read(
            "gemma3",
            forgery ->
                forgery
                    .without("gemma3.rope.freq_base")
                    .without("gemma3.attention.layer_norm_rms_epsilon")
                    .with("gemma3.rope.global.freq_base", 2e6)
                    .with("gemma3.context_length", 131072L)
                    .with("v.blk.0.attn_q.weight", TensorType.F16, 8, 8));
    assertThat(config.rope().base()).isEqualTo(2e6f);
    assertThat(config.rope().windowedBase()).isEqualTo(1e4f);
    assertThat(config.rope().scale()).isEqualTo(1 / 8f);
    assertThat(config.rope().windowedScale()).isEqualTo(1);
    assertThat(config.normEpsilon()).isEqualTo(1e-6f);
  }

  @Test
  void vocabularyOfAnotherSizeThanTheEmbeddingIsNamed() {
    assertThatThrownBy(
            () ->
                read(
                    "llama", forgery -> forgery.with("token_embd.weight", TensorType.F16, 64, 321)))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("321 rows")
        .hasMessageContaining("320 tokens");
  }

  @Test
  void everySecondOrSixthLayerOfGemmaHasFullAttention() throws IOException {
    assertThat(windows(read("gemma2", forgery -> forgery))).isEqualTo("w.w.w.w");
    assertThat(windows(read("gemma3", forgery -> forgery))).isEqualTo("wwwww.w");
    boolean[] pattern = {true, false, true, false, false, true, true};
    assertThat(
            windows(
                read(
                    "gemma3",
                    forgery -> forgery.with("gemma3.attention.sliding_window_pattern", pattern))))
        .isEqualTo("w.w..ww");
    assertThat(
            windows(
                read(
                    "gemma3",
                    forgery -> forgery.with("gemma3.attention.sliding_window_pattern", 3L))))
        .isEqualTo("ww.ww.w");
    assertThat(
            windows(read("gemma3", forgery -> forgery.without("gemma3.attention.sliding_window"))))
        .isEqualTo(".......");
  }

  private static String windows(ModelConfig config) {
    StringBuilder text = new StringBuilder();
    for (int layer = 0; layer < config.layers(); layer++) {
      text.append(config.attention().window(layer) > 0 ? 'w' : '.');
    }
    return text.toString();
  }
}
