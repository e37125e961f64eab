package dev.millrace.cluster.origin;

import dev.millrace.engine.gguf.Gguf;
import dev.millrace.engine.model.LayerSegment;
import dev.millrace.engine.model.LoadSettings;
import dev.millrace.engine.model.ModelConfig;
import dev.millrace.engine.model.SegmentWeights;
import dev.millrace.engine.pipe.Batch;
import dev.millrace.engine.pipe.Pages;
import dev.millrace.engine.tensor.Crew;
import dev.millrace.engine.tensor.Kernels;
import java.util.function.BooleanSupplier;

/**
 * Computes layers of a sequence at the origin itself, from its file, one layer after the other: only
 * one is in memory at a time. It has threads of its own, so that the wheels go on.
 */
final class LocalReplay {
  static final int ROWS = 64;

  private final OwnFile file;
  private final Terms terms;
  private final Kernels kernels;
  private final int threads;

  LocalReplay(OwnFile file, Terms terms, Kernels kernels, int threads) {
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
  Rows replay(int from, int to, Rows in, BooleanSupplier enough) throws ReplayFailed {
    try (Crew crew = new Crew(threads)) {
      Gguf gguf = file.gguf();
      ModelConfig config = ModelConfig.of(gguf);
      Rows rows = in;
      for (int layer = from; layer < to; layer++) {
        try (SegmentWeights weights =
            SegmentWeights.load(gguf, config, layer, layer + 1, kernels, crew)) {
          rows = through(weights, layer, rows, enough);
        }
      }
      if (!file.isUnchanged()) { // looked at last: what was read before may be what it was not
        throw new ReplayFailed(
            "the origin could not replay it: %s was changed since it was opened; start anew"
                .formatted(gguf.file()));
      }
      return rows;
    } catch (RuntimeException | OutOfMemoryError e) {
      throw new ReplayFailed("the origin could not replay it: " + e.getMessage());
    }
  }

  private Rows through(SegmentWeights weights, int layer, Rows in, BooleanSupplier enough)
      throws ReplayFailed {
    int pages = Pages.holding(in.count());
    LoadSettings settings =
        new LoadSettings(threads, kernels, terms.kvType(), terms.context(), pages, ROWS, 1);
    int[] table = new int[pages];
    for (int i = 0; i < pages; i++) {
      table[i] = i;
    }
    Rows out = new Rows(in.width());
    Batch batch = new Batch(in.width(), ROWS, 1);
    LayerSegment segment = weights.open(layer, layer + 1, settings); // goes with its weights
    for (int first = 0; first < in.count(); first += ROWS) {
      if (enough.getAsBoolean()) {
        throw new ReplayFailed("nobody waits for it any more");
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
