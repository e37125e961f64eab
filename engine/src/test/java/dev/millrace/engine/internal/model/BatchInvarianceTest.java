package dev.millrace.engine.internal.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.oracle.ModelShape;
import dev.millrace.engine.oracle.RandomModels;
import dev.millrace.engine.oracle.TinyShapes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A row's result depends on its sequence alone, to the bit. */
class BatchInvarianceTest {
  private static final long SEED = 11;
  private static final int LENGTH = 21;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {"llama", "qwen2", "qwen3", "qwen3moe", "gemma2", "gemma3", "phi3", "gpt2"})
  void logitsDependOnTheSequenceAlone(String architecture) throws IOException {
    ModelShape shape = TinyShapes.shape(architecture);
    Path file = RandomModels.write(directory.resolve("model.gguf"), shape, TensorType.F32, SEED);
    int[] tokens = new Random(SEED).ints(LENGTH, 0, shape.vocabulary()).toArray();
    LoadSettings plain = PlainModel.settings().withKvType(KvType.F16);
    float[][] expected;
    try (PlainModel rig = new PlainModel(file, plain)) {
      expected = rig.logits(0, tokens);
      assertThat(rig.logits(1, tokens, 1, 5, 1, 9))
          .as("in chunks, seed %d", SEED)
          .isDeepEqualTo(expected);
      assertThat(amongOthers(rig, tokens))
          .as("in a batch, seed %d", SEED)
          .isEqualTo(expected[LENGTH - 1]);
    }
    try (PlainModel rig =
        new PlainModel(file, plain.withThreads(2).withKernels(KernelType.VECTOR), 1)) {
      assertThat(rig.logits(2, tokens, 3))
          .as("cut, with threads and vectors, seed %d", SEED)
          .isDeepEqualTo(expected);
    }
  }

  /**
   * The last logits of a sequence whose end is computed in a batch with the beginning of one
   * sequence and single rows of others.
   */
  private static float[] amongOthers(PlainModel rig, int[] tokens) {
    int[] others = new Random(SEED + 1).ints(LENGTH, 0, rig.config.vocabulary()).toArray();
    rig.logits(0, tokens, LENGTH - 4);
    rig.logits(3, others);
    rig.batch.clear();
    rig.add(2, others, 0, 13);
    int row = rig.add(0, tokens, LENGTH - 4, 4);
    rig.add(3, others, LENGTH - 1, 1);
    rig.forward();
    return rig.logits(row + 3);
  }
}
