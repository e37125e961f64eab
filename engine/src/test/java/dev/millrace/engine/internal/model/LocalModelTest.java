package dev.millrace.engine.internal.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.config.FeedForwardConfig;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.tensor.ComputePool;
import dev.millrace.engine.oracle.RandomModels;
import dev.millrace.engine.oracle.ReferenceModel;
import dev.millrace.engine.oracle.RelativeError;
import dev.millrace.engine.oracle.TinyShapes;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole models with the real kernels. */
class LocalModelTest {
  private static final long SEED = 5;

  @TempDir static Path directory;

  private static Path model(String architecture, TensorType type) throws IOException {
    return RandomModels.write(
        directory.resolve(architecture + type), TinyShapes.shape(architecture), type, SEED);
  }

  private static int[] tokens(int count) {
    return new Random(SEED).ints(count, 0, 320).toArray();
  }

  /** The logits at all positions, in one batch. */
  private static float[][] logits(LocalModel model, int[] tokens) {
    Batch batch = new Batch(model.config().width(), tokens.length, 1);
    batch.add(0, tokens.length, PlainModel.pages(0));
    model.end().embed(batch, 0, tokens, 0, tokens.length);
    model.segment().forward(batch);
    float[][] logits = new float[tokens.length][model.end().vocabulary()];
    for (int i = 0; i < tokens.length; i++) {
      model.end().head(batch, new int[] {i}, 1, logits[i]);
    }
    return logits;
  }

  @ParameterizedTest
  @ValueSource(strings = {"llama", "qwen3moe", "phi3", "gemma3"})
  void scalarAndVectorKernelsGiveTheSameBits(String architecture) throws IOException {
    for (TensorType type : new TensorType[] {TensorType.F16, TensorType.Q8_0, TensorType.Q4_0}) {
      Path file = model(architecture, type);
      int[] tokens = tokens(12);
      try (LocalModel scalar = LocalModel.open(file, PlainModel.settings());
          LocalModel vector =
              LocalModel.open(
                  file, PlainModel.settings().withThreads(2).withKernels(KernelType.VECTOR))) {
        assertThat(logits(vector, tokens))
            .as("%s, seed %d", type, SEED)
            .isDeepEqualTo(logits(scalar, tokens));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"F32", "F16", "BF16", "Q8_0"})
  void logitsAreNearThoseOfTheReference(TensorType type) throws IOException {
    Path file = model("llama", type);
    try (LocalModel model =
            LocalModel.open(file, PlainModel.settings().withKernels(KernelType.best()));
        ReferenceModel reference = ReferenceModel.open(file)) {
      double error = RelativeError.of(logits(model, tokens(20)), reference.logits(tokens(20)));
      assertThat(error).as("relative error, seed %d", SEED).isLessThan(2e-5);
    }
  }

  @Test
  void layersAndEndCanBeLoadedApart() throws IOException {
    Path file = model("gemma3", TensorType.F32);
    int[] tokens = tokens(9);
    LoadSettings settings = PlainModel.settings();
    try (LocalModel model = LocalModel.open(file, settings);
        Gguf gguf = Gguf.open(file);
        ComputePool pool = new ComputePool(1);
        Arena arena = Arena.ofShared()) {
      EmbeddingAndHeadWeights end =
          EmbeddingAndHeadWeights.load(gguf, model.config(), settings, pool, arena);
      Batch batch = new Batch(end.width(), 9, 1);
      batch.add(0, 9, PlainModel.pages(0));
      end.embed(batch, 0, tokens, 0, 9);
      try (SegmentWeights first =
              SegmentWeights.load(gguf, model.config(), 0, 3, settings.kernels(), pool);
          SegmentWeights second =
              SegmentWeights.load(gguf, model.config(), 3, 7, settings.kernels(), pool)) {
        first.open(0, 3, settings).forward(batch);
        second.open(3, 7, settings).forward(batch);
        assertThat(first.weightBytes() * 4).isEqualTo(second.weightBytes() * 3);
      }
      float[] logits = new float[end.vocabulary()];
      end.head(batch, new int[] {8}, 1, logits);
      assertThat(logits).isEqualTo(logits(model, tokens)[8]);
    }
  }

  @Test
  void numbersAreThoseOfTheFile() throws IOException {
    LoadSettings settings = PlainModel.settings().withKvType(KvType.F16);
    try (LocalModel own = LocalModel.open(model("llama", TensorType.F16), settings);
        LocalModel tied = LocalModel.open(model("gemma2", TensorType.F16), settings)) {
      long perLayer = 64 * 128 * 2 + 64 * 64 * 2 + 64 * 128 * 3;
      long exact = 2 * (2 * perLayer + 2 * 64 * 320);
      assertThat(own.weightBytes()).isBetween(exact, exact + exact / 100);
      assertThat(own.kvBytesPerToken()).isEqualTo(2 * 2 * 2 * 32 * 2);
      assertThat(tied.end().weightBytes())
          .as("a head that is the embedding")
          .isBetween(2L * 64 * 320, 2L * 64 * 320 + 4096);
      assertThat(own.context()).isEqualTo(256);
    }
  }

  @Test
  void aContextBeyondTheLearnedPositionsIsRejected() throws IOException {
    Path file = model("gpt2", TensorType.F32);
    assertThatThrownBy(() -> LocalModel.open(file, PlainModel.settings().withContext(257)))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("257")
        .hasMessageContaining("256 positions");
  }

  @Test
  void batchesTooLargeForAnArrayAreRejected() throws IOException {
    try (Gguf gguf = Gguf.open(model("llama", TensorType.F32))) {
      ModelConfig config = ModelConfig.of(gguf);
      FeedForwardConfig huge = new FeedForwardConfig(1 << 20, 0, 0, false, 1);
      ModelConfig forged =
          new ModelConfig(
              config.architecture(),
              "forged",
              2,
              config.width(),
              320,
              256,
              1e-5f,
              0,
              config.pooling(),
              config.attention(),
              config.rope(),
              huge);
      assertThatThrownBy(() -> PlainModel.settings().withBatches(1 << 16, 1).resolve(forged))
          .isInstanceOf(EngineException.class)
          .hasMessageContaining("65536 rows")
          .hasMessageContaining("at most 1023");
    }
  }

  @Test
  void aTokenOutsideTheVocabularyIsRejected() throws IOException {
    try (LocalModel model =
        LocalModel.open(model("llama", TensorType.F32), PlainModel.settings())) {
      assertThatThrownBy(() -> logits(model, new int[] {320}))
          .isInstanceOf(EngineException.class)
          .hasMessageContaining("token 320");
    }
  }
}
