package dev.millrace.cluster.internal.audit;

import dev.millrace.cluster.internal.protocol.SessionParameters;
import dev.millrace.cluster.internal.model.OriginModelFile;
import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.model.LayerSegment;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.model.SegmentWeights;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.KvPages;
import dev.millrace.engine.internal.tensor.ComputePool;
import java.util.function.BooleanSupplier;

/**
 * Computes layers of a sequence at the origin itself, from its file, one layer after the other: only
 * one is in memory at a time. It has threads of its own, so that the wheels go on.
 */
public final class LocalReplay {
  static final int ROWS = 64;

  private final OriginModelFile file;
  private final SessionParameters terms;
  private final KernelType kernels;
  private final int threads;

  public LocalReplay(
      OriginModelFile file, SessionParameters terms, KernelType kernels, int threads) {
    this.file = file;
    this.terms = terms;
    this.kernels = kernels;
    this.threads = threads;
  }

  /**
   * What layers [from, to) make of these rows.
   *
   * @param enough whether nobody needs it any more; asked between steps
   */
  HiddenStates replay(int from, int to, HiddenStates in, BooleanSupplier enough)
      throws ReplayFailedException {
    try (ComputePool crew = new ComputePool(threads)) {
      Gguf gguf = file.gguf();
      ModelConfig config = ModelConfig.of(gguf);
      HiddenStates rows = in;
      for (int layer = from; layer < to; layer++) {
        try (SegmentWeights weights =
            SegmentWeights.load(gguf, config, layer, layer + 1, kernels, crew)) {
          rows = through(weights, layer, rows, enough);
        }
      }
      if (!file.isUnchanged()) { // looked at last: what was read before may be what it was not
        throw new ReplayFailedException(
            "the origin could not replay it: %s was changed since it was opened; start anew"
                .formatted(gguf.file()));
      }
      return rows;
    } catch (RuntimeException | OutOfMemoryError e) {
      throw new ReplayFailedException("the origin could not replay it: " + e.getMessage());
    }
  }

  private HiddenStates through(
      SegmentWeights weights, int layer, HiddenStates in, BooleanSupplier enough)
      throws ReplayFailedException {
    int pages = KvPages.countFor(in.count());
    LoadSettings settings =
        new LoadSettings(
            threads, kernels, terms.cache().kvType(), terms.cache().context(), pages, ROWS, 1);
    int[] table = new int[pages];
    for (int i = 0; i < pages; i++) {
      table[i] = i;
    }
    HiddenStates out = new HiddenStates(in.width());
    Batch batch = new Batch(in.width(), ROWS, 1);
    LayerSegment segment = weights.open(layer, layer + 1, settings); // goes with its weights
    for (int first = 0; first < in.count(); first += ROWS) {
      if (enough.getAsBoolean()) {
        throw new ReplayFailedException("nobody waits for it any more");
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
