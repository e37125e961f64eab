package dev.millrace.engine.internal.cache;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.KvPageSize;
import dev.millrace.engine.internal.tensor.ComputePool;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Random sequences of queries, keys and values, and ways to send them through attention. */
final class RandomAttentionInputs {
  /** Consecutive positions of one sequence in one batch. */
  record Run(int sequence, int first, int count) {}

  final KvCache.Shape shape;
  final int heads;
  final int[] lengths;

  /** (sequence, position, heads, keyDim) */
  final float[][] q;

  /** (sequence, position, kvHeads, keyDim) */
  final float[][] k;

  /** (sequence, position, kvHeads, valueDim) */
  final float[][] v;

  RandomAttentionInputs(
      KvType type, int heads, int kvHeads, int keyDim, int valueDim, long seed, int... lengths) {
    int pages = 3;
    for (int length : lengths) {
      pages += KvPageSize.countFor(length);
    }
    shape = new KvCache.Shape(2, pages, kvHeads, keyDim, valueDim, type);
    this.heads = heads;
    this.lengths = lengths;
    q = new float[lengths.length][];
    k = new float[lengths.length][];
    v = new float[lengths.length][];
    Random random = new Random(seed);
    for (int s = 0; s < lengths.length; s++) {
      q[s] = gaussian(random, lengths[s] * heads * keyDim);
      k[s] = gaussian(random, lengths[s] * kvHeads * keyDim);
      v[s] = gaussian(random, lengths[s] * kvHeads * valueDim);
    }
  }

  private static float[] gaussian(Random random, int n) {
    float[] x = new float[n];
    for (int i = 0; i < n; i++) {
      x[i] = (float) random.nextGaussian();
    }
    return x;
  }

  /** Page tables without common pages, in an order given by the seed; 0 for the plain one. */
  int[][] tables(long seed) {
    List<Integer> free = new ArrayList<>();
    for (int i = 0; i < shape.pages(); i++) {
      free.add(i);
    }
    if (seed != 0) {
      Collections.shuffle(free, new Random(seed));
    }
    int[][] tables = new int[lengths.length][];
    int next = 0;
    for (int s = 0; s < lengths.length; s++) {
      tables[s] = new int[KvPageSize.countFor(lengths[s])];
      for (int i = 0; i < tables[s].length; i++) {
        tables[s][i] = free.get(next++);
      }
    }
    return tables;
  }

  /** Each sequence whole, all in one batch. */
  List<List<Run>> whole() {
    List<Run> turn = new ArrayList<>();
    for (int s = 0; s < lengths.length; s++) {
      turn.add(new Run(s, 0, lengths[s]));
    }
    return List.of(turn);
  }

  /** Chunks of random lengths, of random sequences. */
  List<List<Run>> chunked(long seed, int most) {
    Random random = new Random(seed);
    int[] done = new int[lengths.length];
    List<List<Run>> turns = new ArrayList<>();
    while (true) {
      List<Run> turn = new ArrayList<>();
      boolean left = false;
      for (int s = 0; s < lengths.length; s++) {
        left |= done[s] < lengths[s];
        int count = Math.min(random.nextInt(most + 1), lengths[s] - done[s]);
        if (count > 0) {
          turn.add(new Run(s, done[s], count));
          done[s] += count;
        }
      }
      if (!left) {
        return turns;
      }
      turns.add(turn);
    }
  }

  /**
   * The outputs (sequence, position, heads, valueDim) of these batches, with a cache whose pages
   * have old content.
   */
  float[][] attend(
      KernelType kernels, int threads, Attention.Rule rule, int[][] tables, List<List<Run>> turns) {
    int rows = 0;
    for (int length : lengths) {
      rows += length;
    }
    int keys = shape.kvHeads() * shape.keyDim();
    int values = shape.kvHeads() * shape.valueDim();
    int width = heads * shape.keyDim();
    int outWidth = heads * shape.valueDim();
    float[][] result = new float[lengths.length][];
    for (int s = 0; s < lengths.length; s++) {
      result[s] = new float[lengths[s] * outWidth];
    }
    try (KvCache store = new KvCache(shape);
        ComputePool pool = new ComputePool(threads)) {
      litter(store);
      Attention attention = new Attention(kernels, store, heads, rows, threads);
      Batch batch = new Batch(1, rows, lengths.length);
      float[] rowQ = new float[rows * width];
      float[] rowOut = new float[rows * outWidth];
      for (List<Run> turn : turns) {
        batch.clear();
        for (Run run : turn) {
          int row = batch.add(run.first, run.count, tables[run.sequence]);
          System.arraycopy(
              q[run.sequence], run.first * width, rowQ, row * width, run.count * width);
          for (int i = 0; i < run.count; i++) {
            int p = run.first + i;
            store.put(1, batch, row + i, k[run.sequence], p * keys, v[run.sequence], p * values);
          }
        }
        attention.run(pool, 1, rule, batch, rowQ, rowOut);
        for (int r = 0; r < turn.size(); r++) {
          Run run = turn.get(r);
          System.arraycopy(
              rowOut,
              batch.firstRow[r] * outWidth,
              result[run.sequence],
              run.first * outWidth,
              run.count * outWidth);
        }
      }
    }
    return result;
  }

  /** What an earlier owner may have left: huge values, infinities, NaN. */
  private void litter(KvCache store) {
    Batch batch = new Batch(1, KvPageSize.POSITIONS, 1);
    float[] junk = new float[shape.kvHeads() * Math.max(shape.keyDim(), shape.valueDim())];
    float[] kinds = {Float.NaN, Float.POSITIVE_INFINITY, -1e30f, Float.NEGATIVE_INFINITY, 1e4f};
    for (int i = 0; i < junk.length; i++) {
      junk[i] = kinds[i % kinds.length];
    }
    for (int page = 0; page < shape.pages(); page++) {
      batch.clear();
      batch.add(0, KvPageSize.POSITIONS, new int[] {page});
      for (int row = 0; row < KvPageSize.POSITIONS; row++) {
        store.put(1, batch, row, junk, 0, junk, 0);
      }
    }
  }

  /** The same in doubles, from the definition, over unrounded keys and values. */
  double[][] exact(Attention.Rule rule) {
    double[][] result = new double[lengths.length][];
    for (int s = 0; s < lengths.length; s++) {
      result[s] = new double[lengths[s] * heads * shape.valueDim()];
      for (int row = 0; row < lengths[s]; row++) {
        for (int h = 0; h < heads; h++) {
          exact(rule, s, row, h, result[s]);
        }
      }
    }
    return result;
  }

  private void exact(Attention.Rule rule, int s, int row, int h, double[] out) {
    int end = rule.causal() ? row + 1 : lengths[s];
    int first = rule.window() == 0 ? 0 : Math.max(0, row - rule.window() + 1);
    int kvHead = h / (heads / shape.kvHeads());
    double sum = 0;
    double[] o = new double[shape.valueDim()];
    for (int p = first; p < end; p++) {
      double score = 0;
      for (int d = 0; d < shape.keyDim(); d++) {
        score +=
            (double) q[s][(row * heads + h) * shape.keyDim() + d]
                * k[s][(p * shape.kvHeads() + kvHead) * shape.keyDim() + d];
      }
      score *= rule.scale();
      if (rule.softcap() > 0) {
        score = rule.softcap() * Math.tanh(score / rule.softcap());
      }
      double share = Math.exp(score);
      sum += share;
      for (int d = 0; d < o.length; d++) {
        o[d] += share * v[s][(p * shape.kvHeads() + kvHead) * shape.valueDim() + d];
      }
    }
    for (int d = 0; d < o.length; d++) {
      out[(row * heads + h) * o.length + d] = o[d] / sum;
    }
  }
}
