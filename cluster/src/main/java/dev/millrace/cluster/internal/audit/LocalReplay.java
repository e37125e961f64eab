package dev.millrace.cluster.internal.audit;

import dev.millrace.cluster.internal.model.OriginModelFile;
import dev.millrace.cluster.internal.protocol.SessionParameters;
import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.model.LayerSegment;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.model.SegmentWeights;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.KvPageSize;
import dev.millrace.engine.internal.tensor.ComputePool;
import java.util.function.BooleanSupplier;

/**
 * Replays layers of a sequence at the origin, from its file, one layer after the other, so that
 * only one is in memory. It has threads of its own, so that the batch loop continues.
 */
public final class LocalReplay {
  static final int ROWS = 64;

  private final OriginModelFile file;
  private final SessionParameters parameters;
  private final KernelType kernels;
  private final int threads;

  public LocalReplay(
      OriginModelFile file, SessionParameters parameters, KernelType kernels, int threads) {
    this.file = file;
    this.parameters = parameters;
    this.kernels = kernels;
    this.threads = threads;
  }

  /**
   * The output of layers [from, to) for these rows.
   *
   * @param isObsolete whether the result is no longer needed; checked between steps
   */
  HiddenStates replay(int from, int to, HiddenStates in, BooleanSupplier isObsolete)
      throws ReplayFailedException {
    try (ComputePool pool = new ComputePool(threads)) {
      Gguf gguf = file.gguf();
      ModelConfig config = ModelConfig.of(gguf);
      HiddenStates rows = in;
      for (int layer = from; layer < to; layer++) {
        try (SegmentWeights weights =
            SegmentWeights.load(gguf, config, layer, layer + 1, kernels, pool)) {
          rows = through(weights, layer, rows, isObsolete);
        }
      }
      if (!file.isUnchanged()) { // checked last: a change may have come at any time before
        throw new ReplayFailedException(
            "the origin could not replay it: %s has changed since it was opened; restart the server"
                .formatted(gguf.file()));
      }
      return rows;
    } catch (RuntimeException | OutOfMemoryError e) {
      throw new ReplayFailedException("the origin could not replay it: " + e.getMessage());
    }
  }

  private HiddenStates through(
      SegmentWeights weights, int layer, HiddenStates in, BooleanSupplier isObsolete)
      throws ReplayFailedException {
    int pages = KvPageSize.countFor(in.count());
    LoadSettings settings =
        new LoadSettings(
            threads,
            kernels,
            parameters.cache().kvType(),
            parameters.cache().context(),
            pages,
            ROWS,
            1);
    int[] table = new int[pages];
    for (int i = 0; i < pages; i++) {
      table[i] = i;
    }
    HiddenStates out = new HiddenStates(in.width());
    Batch batch = new Batch(in.width(), ROWS, 1);
    LayerSegment segment = weights.open(layer, layer + 1, settings); // closed with its weights
    for (int first = 0; first < in.count(); first += ROWS) {
      if (isObsolete.getAsBoolean()) {
        throw new ReplayFailedException("the sequence was dropped");
      }
      int count = Math.min(ROWS, in.count() - first);
      batch.clear();
      batch.add(first, count, table);
      for (int i = 0; i < count; i++) {
        in.copyTo(first + i, batch.hidden, i * in.width());
      }
      segment.forward(batch);
      for (int i = 0; i < count; i++) {
        out.add(first + i, batch.hidden, i * in.width());
      }
    }
    return out;
  }
}
