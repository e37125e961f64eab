package dev.millrace.engine.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorInfo;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.internal.kernel.Dequantizer;
import dev.millrace.engine.llamacpp.LlamaCpp;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RandomModelsTest {
  @TempDir Path directory;

  static Stream<TensorType> types() {
    return Arrays.stream(TensorType.values()).filter(Dequantizer::supports);
  }

  @ParameterizedTest
  @MethodSource("types")
  void numbersHaveTheWantedDeviationAroundZero(TensorType type) {
    int count = 1 << 16;
    MemorySegment blocks = MemorySegment.ofArray(new byte[(int) type.rowBytes(count)]);
    RandomBlocks.of(type, 0.05, 7).fill(0, blocks);
    float[] numbers = new float[count];
    Dequantizer.row(type, blocks, 0, count, numbers, 0);
    double sum = 0;
    double squares = 0;
    for (float number : numbers) {
      sum += number;
      squares += number * number;
    }
    assertThat(sum / count).as("mean, seed 7").isCloseTo(0, within(0.0025));
    assertThat(Math.sqrt(squares / count)).as("deviation, seed 7").isCloseTo(0.05, within(0.0025));
  }

  @Test
  void sameSeedGivesTheSameFile() throws IOException {
    Path a =
        RandomModels.write(directory.resolve("a"), ModelShape.small("llama"), TensorType.Q4_K, 3);
    Path b =
        RandomModels.write(directory.resolve("b"), ModelShape.small("llama"), TensorType.Q4_K, 3);
    Path c =
        RandomModels.write(directory.resolve("c"), ModelShape.small("llama"), TensorType.Q4_K, 4);
    assertThat(Files.mismatch(a, b)).isEqualTo(-1);
    assertThat(Files.mismatch(a, c)).isPositive();
  }

  @Test
  void mixedRecipeGivesSomeLayersMoreBits() {
    QuantizationRecipe recipe = QuantizationRecipe.q4km(16);
    assertThat(recipe.of("blk.0.attn_v.weight", 0, 2048)).isEqualTo(TensorType.Q6_K);
    assertThat(recipe.of("blk.2.attn_v.weight", 2, 2048)).isEqualTo(TensorType.Q4_K);
    assertThat(recipe.of("blk.4.ffn_down.weight", 4, 8192)).isEqualTo(TensorType.Q6_K);
    assertThat(recipe.of("blk.4.attn_q.weight", 4, 2048)).isEqualTo(TensorType.Q4_K);
    assertThat(recipe.of("blk.4.attn_q.weight", 4, 576)).isEqualTo(TensorType.Q5_0);
    assertThat(recipe.of("token_embd.weight", -1, 576)).isEqualTo(TensorType.Q8_0);
  }

  /** Also the time that a benchmark waits for its model: some seconds. */
  @Test
  @EnabledIfSystemProperty(named = "millrace.proof", matches = "true")
  void llamaCppLoadsTheLargeShapes() throws IOException {
    Path smol = directory.resolve("smol.gguf");
    RandomModels.write(smol, ModelShape.smol135m(), QuantizationRecipe.q4km(30), 1);
    Path llama = directory.resolve("llama.gguf");
    RandomModels.write(llama, ModelShape.llama1b(), TensorType.Q8_0, 1);
    try (Gguf gguf = Gguf.open(llama)) {
      long parameters = gguf.tensors().stream().mapToLong(TensorInfo::length).sum();
      assertThat(parameters).isBetween(1_235_000_000L, 1_237_000_000L);
    }
    for (Path file : new Path[] {smol, llama}) {
      try (LlamaCpp peer = LlamaCpp.load(file, 2)) {
        assertThat(peer.logits(new int[] {1, 2, 300})[2]).doesNotContain(Float.NaN);
      }
    }
  }
}
