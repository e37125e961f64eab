package dev.millrace.engine.internal.model;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.math.Arithmetic;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.KvPageSize;
import dev.millrace.engine.internal.tensor.ComputePool;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** A model over plain matrices, cut into segments, with a batch to fill by hand. */
final class PlainModel implements AutoCloseable {
  static final int MAX_ROWS = 64;

  final ModelConfig config;
  final LoadSettings settings;
  final EmbeddingAndHeadWeights end;
  final List<LayerSegment> segments = new ArrayList<>();
  final Batch batch;
  private final List<SegmentWeights> loaded = new ArrayList<>();
  private final ComputePool pool;

  /**
   * @param cuts the layers, besides the first, at which a segment starts
   */
  PlainModel(Path file, LoadSettings asked, int... cuts) {
    try (Gguf gguf = Gguf.open(file)) {
      config = ModelConfig.of(gguf);
      settings = asked.resolve(config);
      pool = new ComputePool(settings.threads());
      WeightLoader weights =
          new WeightLoader(gguf, config, Arithmetic.of(settings.kernels()), PlainMatrix::load);
      int from = 0;
      for (int to :
          IntStream.concat(Arrays.stream(cuts), IntStream.of(config.layers())).toArray()) {
        SegmentWeights layers =
            new SegmentWeights(
                weights,
                config,
                from,
                to,
                new SegmentWeights.Compute(settings.kernels(), pool, Arena.ofShared()));
        loaded.add(layers);
        segments.add(layers.open(from, to, settings));
        from = to;
      }
      end = new EmbeddingAndHeadWeights(weights, config, settings, pool);
      batch = new Batch(config.width(), settings.maxRows(), settings.maxRuns());
    }
  }

  /** One thread, scalar kernels, exact keys and values, a context of 256. */
  static LoadSettings settings() {
    return new LoadSettings(1, KernelType.SCALAR, KvType.F32, 256, 64, MAX_ROWS, 8);
  }

  /** The pages of the sequence of a number: 8 for each. */
  static int[] pages(int sequence) {
    return IntStream.range(0, 256 / KvPageSize.POSITIONS)
        .map(i -> (sequence + 1) * 256 / KvPageSize.POSITIONS - 1 - i)
        .toArray();
  }

  /** Adds the positions [first, first + count) of a sequence to the batch. */
  int add(int sequence, int[] tokens, int first, int count) {
    int row = batch.add(first, count, pages(sequence));
    end.embed(batch, row, tokens, first, count);
    return row;
  }

  /** Runs the batch through all segments. */
  void forward() {
    segments.forEach(segment -> segment.forward(batch));
  }

  float[] logits(int row) {
    float[] logits = new float[config.vocabulary()];
    end.head(batch, new int[] {row}, 1, logits);
    return logits;
  }

  /**
   * The logits at all positions of a sequence that is computed in chunks of these lengths, and a
   * last one with the rest.
   */
  float[][] logits(int sequence, int[] tokens, int... chunks) {
    float[][] logits = new float[tokens.length][];
    int first = 0;
    for (int chunk = 0; first < tokens.length; chunk++) {
      int count = chunk < chunks.length ? chunks[chunk] : tokens.length - first;
      batch.clear();
      add(sequence, tokens, first, count);
      forward();
      for (int i = 0; i < count; i++) {
        logits[first + i] = logits(i);
      }
      first += count;
    }
    return logits;
  }

  @Override
  public void close() {
    loaded.forEach(SegmentWeights::close);
    pool.close();
  }
}
