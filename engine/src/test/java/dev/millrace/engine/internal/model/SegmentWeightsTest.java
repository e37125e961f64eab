package dev.millrace.engine.internal.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.gguf.GgufException;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorInfo;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.tensor.ComputePool;
import dev.millrace.engine.oracle.ModelShape;
import dev.millrace.engine.oracle.RandomModels;
import dev.millrace.engine.oracle.TinyShapes;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of a model, loaded and opened separately. */
class SegmentWeightsTest {
  private static final long SEED = 23;
  private static final int LENGTH = 19;

  @TempDir Path directory;

  private Path model(String architecture, TensorType type) throws IOException {
    return RandomModels.write(
        directory.resolve(architecture + type), TinyShapes.shape(architecture), type, SEED);
  }

  private static int[] tokens(int seed) {
    return new Random(SEED + seed).ints(LENGTH, 0, TinyShapes.VOCABULARY).toArray();
  }

  /** The hidden states of a sequence after some segments. */
  private static float[] through(
      EmbeddingAndHeadWeights end, int[] tokens, List<LayerSegment> segments) {
    Batch batch = new Batch(end.width(), LENGTH, 1);
    batch.add(0, LENGTH, PlainModel.pages(0));
    end.embed(batch, 0, tokens, 0, LENGTH);
    segments.forEach(segment -> segment.forward(batch));
    return batch.hidden.clone();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"llama", "qwen2", "qwen3", "qwen3moe", "gemma2", "gemma3", "phi3", "gpt2"})
  void partsOneAfterTheOtherGiveTheBitsOfTheWhole(String architecture) throws IOException {
    Path file = model(architecture, TensorType.Q8_0);
    LoadSettings settings =
        PlainModel.settings().withKvType(KvType.F16).withThreads(2).withKernels(KernelType.VECTOR);
    try (LocalModel whole = LocalModel.open(file, settings);
        Gguf gguf = Gguf.open(file);
        ComputePool pool = new ComputePool(2);
        EndModel end = EndModel.open(gguf, 1, settings);
        SegmentWeights rest =
            SegmentWeights.load(
                gguf, end.config(), 1, end.config().layers(), KernelType.VECTOR, pool)) {
      float[] expected = through(whole.end(), tokens(0), List.of(whole.segment()));
      List<LayerSegment> parts =
          List.of(end.openSegments().getFirst(), rest.open(1, rest.to(), settings));
      assertThat(through(end.end(), tokens(0), parts)).as("seed %d", SEED).isEqualTo(expected);
      assertThat(end.weightBytes() + rest.weightBytes()).isEqualTo(whole.weightBytes());
      assertThat(end.kvBytesPerToken() * end.config().layers()).isEqualTo(whole.kvBytesPerToken());
    }
  }

  @Test
  void partsOfLoadedLayersGiveTheBitsOfTheWhole() throws IOException {
    Path file = model("gemma3", TensorType.F16);
    LoadSettings settings = PlainModel.settings();
    try (LocalModel whole = LocalModel.open(file, settings);
        Gguf gguf = Gguf.open(file);
        ComputePool pool = new ComputePool(1);
        SegmentWeights all =
            SegmentWeights.load(gguf, whole.config(), 0, 7, settings.kernels(), pool)) {
      float[] expected = through(whole.end(), tokens(0), List.of(whole.segment()));
      List<LayerSegment> parts =
          List.of(all.open(0, 2, settings), all.open(2, 6, settings), all.open(6, 7, settings));
      assertThat(through(whole.end(), tokens(0), parts)).as("seed %d", SEED).isEqualTo(expected);
      assertThat(parts.stream().mapToLong(LayerSegment::weightBytes).sum())
          .isEqualTo(all.weightBytes());
    }
  }

  @Test
  void segmentsOnTheSameWeightsAreIndependent() throws IOException {
    Path file = model("qwen3moe", TensorType.F32);
    LoadSettings small = PlainModel.settings().withBatches(32, 4);
    try (Gguf gguf = Gguf.open(file);
        EndModel model = EndModel.open(gguf, 2, small)) {
      SegmentWeights weights = model.weights();
      assertThat(weights).isNotNull();
      float[] expected;
      try (LayerSegment alone = weights.open(0, 2, small)) {
        expected = decoded(model.end(), alone, null);
      }
      try (LayerSegment one = weights.open(0, 2, small);
          LayerSegment other = weights.open(0, 2, PlainModel.settings().withKvType(KvType.Q8))) {
        assertThat(decoded(model.end(), one, other)).as("seed %d", SEED).isEqualTo(expected);
      }
      assertThat(weights.openSegments()).isZero();
    }
  }

  /** The last row of a sequence whose steps alternate with those of another one. */
  private static float[] decoded(
      EmbeddingAndHeadWeights end, LayerSegment segment, LayerSegment other) {
    Batch batch = new Batch(end.width(), 32, 4);
    int[] tokens = tokens(0);
    for (int position = 0; position < LENGTH; position++) {
      if (other != null) {
        through(end, tokens(1 + position), List.of(other));
      }
      batch.clear();
      batch.add(position, 1, PlainModel.pages(0));
      end.embed(batch, 0, tokens, position, 1);
      segment.forward(batch);
    }
    float[] row = new float[end.width()];
    System.arraycopy(batch.hidden, 0, row, 0, row.length);
    return row;
  }

  @Test
  void theContextOfASegmentDecidesItsRopeFactors() throws IOException {
    ModelShape stretched =
        TinyShapes.shape("phi3")
            .withStretchedRotation()
            .with("rope.scaling.original_context_length", 64);
    Path file = RandomModels.write(directory.resolve("phi3"), stretched, TensorType.F32, SEED);
    try (Gguf gguf = Gguf.open(file);
        EndModel model = EndModel.open(gguf, 2, PlainModel.settings())) {
      int original = model.config().rope().originalContext();
      LoadSettings within = PlainModel.settings().withContext(original);
      LoadSettings beyond = PlainModel.settings().withContext(original + 1);
      SegmentWeights weights = model.weights();
      float[] near = through(model.end(), tokens(0), List.of(weights.open(0, 2, within)));
      float[] far = through(model.end(), tokens(0), List.of(weights.open(0, 2, beyond)));
      assertThat(Arrays.equals(far, near)).as("other factors; seed %d", SEED).isFalse();
      try (LocalModel whole = LocalModel.open(gguf, beyond)) {
        assertThat(far).isEqualTo(through(whole.end(), tokens(0), List.of(whole.segment())));
      }
      try (LocalModel whole = LocalModel.open(gguf, within)) {
        assertThat(near).isEqualTo(through(whole.end(), tokens(0), List.of(whole.segment())));
      }
    }
  }

  /** A pool computes for one caller at a time: a loader uses its own. */
  @Test
  void othersComputeWhileLayersAreLoaded() throws Exception {
    Path file = model("gemma2", TensorType.Q8_0);
    LoadSettings settings = PlainModel.settings().withThreads(2);
    try (Gguf gguf = Gguf.open(file);
        EndModel end = EndModel.open(gguf, 7, settings)) {
      LayerSegment segment = end.openSegments().getFirst();
      float[] expected = through(end.end(), tokens(0), List.of(segment));
      AtomicBoolean loaded = new AtomicBoolean();
      CompletableFuture<Void> loading =
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < 5; i++) {
                  SegmentWeights.load(gguf, end.config(), 0, 7, KernelType.SCALAR, end.pool())
                      .close();
                }
              });
      loading.whenComplete((_, _) -> loaded.set(true));
      int rounds = 0;
      do {
        float[] now = through(end.end(), tokens(0), List.of(segment));
        assertThat(Arrays.equals(now, expected)).as("round %d, seed %d", rounds++, SEED).isTrue();
      } while (!loaded.get());
      loading.get(1, TimeUnit.MINUTES);
    }
  }

  @Test
  void onlyTensorsOfTheLayersAreRead() throws IOException {
    Path file = model("gpt2", TensorType.F16);
    try (Gguf gguf = Gguf.open(file);
        ComputePool pool = new ComputePool(2)) {
      ModelConfig config = ModelConfig.of(gguf);
      long end = 0;
      long bytes = 0;
      for (TensorInfo tensor : gguf.tensors()) {
        if (tensor.name().startsWith("blk.0.")) {
          end = Math.max(end, tensor.offset() + tensor.bytes());
          bytes += tensor.bytes();
        }
      }
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(end); // the rest cannot be read any more
      }
      assertThat(SegmentWeights.fileBytes(gguf, 0, 1)).isEqualTo(bytes);
      SegmentWeights.load(gguf, config, 0, 1, KernelType.SCALAR, pool).close();
      assertThatThrownBy(() -> SegmentWeights.load(gguf, config, 1, 2, KernelType.SCALAR, pool))
          .satisfiesAnyOf(
              e -> assertThat(e).isInstanceOf(GgufException.class),
              e -> assertThat(e).hasRootCauseInstanceOf(GgufException.class));
    }
  }

  @Test
  void layersThatDoNotExistAreRejected() throws IOException {
    try (Gguf gguf = Gguf.open(model("gemma3", TensorType.F32));
        ComputePool pool = new ComputePool(1)) {
      ModelConfig config = ModelConfig.of(gguf);
      assertThatThrownBy(() -> SegmentWeights.load(gguf, config, 1, 8, KernelType.SCALAR, pool))
          .isInstanceOf(EngineException.class)
          .hasMessageContaining("layers 1 to 8")
          .hasMessageContaining("has 7");
      try (SegmentWeights weights =
          SegmentWeights.load(gguf, config, 2, 5, KernelType.SCALAR, pool)) {
        assertThatThrownBy(() -> weights.open(1, 4, PlainModel.settings()))
            .isInstanceOf(EngineException.class)
            .hasMessageContaining("layers 1 to 4")
            .hasMessageContaining("2 to 5");
      }
      assertThatThrownBy(() -> EndModel.open(gguf, 8, PlainModel.settings()))
          .isInstanceOf(EngineException.class)
          .hasMessageContaining("has 7");
    }
  }

  @Test
  void closingWeightsClosesTheirSegments() throws IOException {
    try (Gguf gguf = Gguf.open(model("llama", TensorType.F32));
        ComputePool pool = new ComputePool(1)) {
      SegmentWeights weights =
          SegmentWeights.load(gguf, ModelConfig.of(gguf), 0, 2, KernelType.SCALAR, pool);
      LayerSegment left = weights.open(0, 1, PlainModel.settings());
      LayerSegment open = weights.open(0, 2, PlainModel.settings());
      left.close();
      left.close();
      assertThat(weights.openSegments()).isEqualTo(1);
      weights.close();
      weights.close();
      Batch batch = new Batch(TinyShapes.WIDTH, 1, 1);
      assertThatThrownBy(() -> open.forward(batch)).hasMessageContaining("closed");
      assertThatThrownBy(() -> open.store().copy(0, 1)).hasMessageContaining("closed");
      assertThatThrownBy(() -> weights.open(0, 1, PlainModel.settings()))
          .isInstanceOf(EngineException.class)
          .hasMessageContaining("freed");
    }
  }

  @Test
  void anEndAloneHasNoLayers() throws IOException {
    Path file = model("llama", TensorType.F32);
    try (Gguf gguf = Gguf.open(file);
        EndModel end = EndModel.open(gguf, 0, PlainModel.settings());
        LocalModel whole = LocalModel.open(gguf, PlainModel.settings())) {
      assertThat(end.weights()).isNull();
      assertThat(end.openSegments()).isEmpty();
      assertThat(end.kvBytesPerToken()).isZero();
      assertThat(end.weightBytes()).isEqualTo(whole.end().weightBytes());
      assertThat(SegmentWeights.cacheBytes(end.config(), 2, PlainModel.settings()))
          .isEqualTo(64 * 32 * whole.kvBytesPerToken());
    }
  }
}
