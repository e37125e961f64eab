package dev.millrace.engine.internal.cache;

import dev.millrace.engine.api.KvType;
import dev.millrace.engine.internal.math.FloatExp;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.KvPageSize;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * The buffers of one worker, and the attention of one block of queries over one kv head: rows of a
 * run, times the query heads that share the kv head. Keys and values of a page are converted to
 * floats once for the whole block, unless it is small.
 *
 * <p>The softmax runs in chunks of {@link AttentionKernels#CHUNK} positions, within spans of {@link
 * #SPAN}; each span starts from zero, and spans are merged in their order. Both are counted from
 * position 0, so that roundings depend on positions alone, and different workers may compute the
 * spans.
 */
final class AttentionWorker {
  /**
   * The most queries of a block: enough that converting a page costs little compared to its use.
   */
  static final int QUERIES = 64;

  /**
   * Positions of a span: enough that merging costs nothing, few enough that the threads of one long
   * sequence share it evenly.
   */
  static final int SPAN = 4 * AttentionKernels.CHUNK;

  private static final int QUAD = AttentionKernels.QUAD;
  private static final int CHUNK = AttentionKernels.CHUNK;
  private static final int PARTIALS = AttentionKernels.PARTIALS;

  private final AttentionKernels kernels;
  private final KvCache store;
  private final MemorySegment memory;
  private final KvCache.Shape shape;
  private final int stride;
  private final int group;

  /** (quad, keyDim, 4) */
  private final float[] queries;

  /** (dim, position) */
  private final float[] keys;

  /** (position, stride) */
  private final float[] values;

  /** (query, CHUNK): scores, then shares. */
  private final float[] scores;

  /** (query, stride): the outputs of a span so far, not yet divided by the sum of the shares. */
  private final float[] outputs;

  /** (query, PARTIALS): the sums of its shares. */
  private final float[] sums;

  /** (query): its greatest score so far. */
  private final float[] greatest;

  /** The same of the spans so far. */
  private final float[] allOutputs;

  private final float[] allSums;
  private final float[] allGreatest;

  /** @param group query heads that share a kv head */
  AttentionWorker(AttentionKernels kernels, KvCache store, int group) {
    this.kernels = kernels;
    this.store = store;
    this.memory = store.memory();
    this.shape = store.shape();
    this.group = group;
    stride = shape.valueStride();
    int room = Math.ceilDiv(Math.max(QUERIES, group), QUAD) * QUAD;
    queries = new float[room * shape.keyDim()];
    keys = new float[KvPageSize.POSITIONS * shape.keyDim()];
    values = new float[KvPageSize.POSITIONS * stride];
    scores = new float[room * CHUNK];
    outputs = new float[room * stride];
    sums = new float[room * PARTIALS];
    greatest = new float[room];
    allOutputs = new float[room * stride];
    allSums = new float[room * PARTIALS];
    allGreatest = new float[room];
  }

  /** The number of rows of a run in a block. */
  static int rows(int group) {
    return Math.max(1, QUERIES / group);
  }

  /** The first span that a row needs. */
  static int firstSpan(Attention.Call call, int row) {
    return call.rule().first(call.batch().position[row]) / SPAN;
  }

  /** The last position that any of the rows [row, row + rows) sees. */
  static int last(Attention.Call call, int row, int rows) {
    Batch batch = call.batch();
    int run = batch.runOf[row];
    int end = call.rule().causal() ? row + rows : batch.firstRow[run] + batch.rowCount[run];
    return batch.position[end - 1];
  }

  /** The outputs of the rows [row, row + rows) of one run, with the query heads of a kv head. */
  void run(Attention.Call call, int row, int rows, int kvHead) {
    int last = last(call, row, rows);
    load(call, row, rows, kvHead);
    clear(allOutputs, allSums, allGreatest, rows * group);
    for (int span = firstSpan(call, row); span <= last / SPAN; span++) {
      attend(call, row, rows, kvHead, span);
      for (int i = 0; i < rows * group; i++) {
        merge(i, outputs, i * stride, sums, i * PARTIALS, greatest[i]);
      }
    }
    finish(call, row, rows, kvHead);
  }

  /** The number of floats for a query's part of a span when another worker merges it. */
  static int slotWidth(KvCache.Shape shape) {
    return shape.valueStride() + PARTIALS + 1;
  }

  /**
   * Computes one span of one row and writes its result to (group, slot width), starting at {@code
   * at}.
   */
  void runSpan(Attention.Call call, int row, int kvHead, int span, float[] slots, int at) {
    load(call, row, 1, kvHead);
    attend(call, row, 1, kvHead, span);
    int width = slotWidth(shape);
    for (int i = 0; i < group; i++) {
      int slot = at + i * width;
      System.arraycopy(outputs, i * stride, slots, slot, stride);
      System.arraycopy(sums, i * PARTIALS, slots, slot + stride, PARTIALS);
      slots[slot + stride + PARTIALS] = greatest[i];
    }
  }

  /** Merges the spans of one row, which are in consecutive slots from {@code at}. */
  void mergeSpans(Attention.Call call, int row, int kvHead, float[] slots, int at, int spans) {
    int width = slotWidth(shape);
    clear(allOutputs, allSums, allGreatest, group);
    for (int i = 0; i < spans * group; i++) {
      int slot = at + i * width;
      merge(i % group, slots, slot, slots, slot + stride, slots[slot + stride + PARTIALS]);
    }
    finish(call, row, 1, kvHead);
  }

  /** Writes the scaled queries into quads. Unused queries of the last quad are zero. */
  private void load(Attention.Call call, int row, int rows, int kvHead) {
    int dims = shape.keyDim();
    float[] q = call.q();
    float scale = call.rule().scale();
    Arrays.fill(queries, 0, Math.ceilDiv(rows * group, QUAD) * QUAD * dims, 0);
    for (int i = 0; i < rows * group; i++) {
      int from = head(row, kvHead, i) * dims;
      int to = (i - i % QUAD) * dims + i % QUAD;
      for (int d = 0; d < dims; d++) {
        queries[to + d * QUAD] = q[from + d] * scale;
      }
    }
  }

  /** The index of query i of a block in (row, heads). */
  private int head(int row, int kvHead, int i) {
    return ((row + i / group) * shape.kvHeads() + kvHead) * group + i % group;
  }

  private void clear(float[] outputs, float[] sums, float[] greatest, int count) {
    int room = Math.ceilDiv(count, QUAD) * QUAD;
    Arrays.fill(outputs, 0, room * stride, 0);
    Arrays.fill(sums, 0, room * PARTIALS, 0);
    Arrays.fill(greatest, 0, room, Float.NEGATIVE_INFINITY);
  }

  /** Computes one span for the queries. */
  private void attend(Attention.Call call, int row, int rows, int kvHead, int span) {
    Batch batch = call.batch();
    Attention.Rule rule = call.rule();
    int[] pages = batch.pages[batch.runOf[row]];
    int last = last(call, row, rows);
    int first = Math.max(rule.first(batch.position[row]), span * SPAN);
    int end = Math.min(last + 1, (span + 1) * SPAN);
    clear(outputs, sums, greatest, rows * group);
    for (int chunk = first - first % CHUNK; chunk < end; chunk += CHUNK) {
      int from = Math.max(chunk, first - first % KvPageSize.POSITIONS);
      int to = Math.min(chunk + CHUNK, end);
      for (int p = from; p < to; p += KvPageSize.POSITIONS) {
        score(
            store.keys(call.layer(), pages[p / KvPageSize.POSITIONS], kvHead),
            rows * group,
            p - chunk);
      }
      for (int i = 0; i < rows * group; i++) {
        int position = batch.position[row + i / group];
        share(
            i,
            rule,
            rule.first(position) - chunk,
            (rule.causal() ? position : last) + 1 - chunk,
            to - chunk);
      }
      for (int p = from; p < to; p += KvPageSize.POSITIONS) {
        long at = store.values(call.layer(), pages[p / KvPageSize.POSITIONS], kvHead);
        addValues(at, rows * group, p - chunk, Math.min(KvPageSize.POSITIONS, to - p));
      }
    }
  }

  private void loadKeys(long at) {
    int dims = shape.keyDim();
    switch (shape.type()) {
      case F32 ->
          MemorySegment.copy(
              memory, ValueLayout.JAVA_FLOAT, at, keys, 0, KvPageSize.POSITIONS * dims);
      case F16 -> kernels.halves(memory, at, KvPageSize.POSITIONS * dims, keys);
      case Q8 -> kernels.columns(memory, at, at + shape.keyScales(), dims, keys);
    }
  }

  private void loadValues(long at, int positions) {
    switch (shape.type()) {
      case F32 ->
          MemorySegment.copy(memory, ValueLayout.JAVA_FLOAT, at, values, 0, positions * stride);
      case F16 -> kernels.halves(memory, at, positions * stride, values);
      case Q8 -> kernels.rows(memory, at, at + shape.valueScales(), positions, stride, values);
    }
  }

  /** The scores of all queries with the keys of one page. */
  private void score(long page, int count, int at) {
    int dims = shape.keyDim();
    if (direct(count)) {
      for (int i = 0; i < count; i += QUAD) {
        kernels.halfScores4(queries, i * dims, dims, memory, page, scores, i * CHUNK + at);
      }
      return;
    }
    loadKeys(page);
    for (int i = 0; i < count; i += QUAD) {
      if (count - i > 1) {
        kernels.scores4(queries, i * dims, dims, keys, scores, i * CHUNK + at);
      } else {
        kernels.scores1(queries, i * dims, dims, keys, scores, i * CHUNK + at);
      }
    }
  }

  /**
   * Whether the queries are so few that converting halves for each quad is faster than writing them
   * out as floats: computing and fetching overlap then.
   */
  private boolean direct(int count) {
    return shape.type() == KvType.F16 && count > 1 && count <= 2 * QUAD;
  }

  /**
   * One query's step of the softmax: its scores of this chunk's positions, of which it sees [first,
   * end), become shares.
   */
  private void share(int query, Attention.Rule rule, int first, int end, int positions) {
    int at = query * CHUNK;
    int n = Math.ceilDiv(positions, KvPageSize.POSITIONS) * KvPageSize.POSITIONS;
    int low = Math.clamp(first, 0, n);
    int high = Math.clamp(end, low, n);
    if (low == high) {
      Arrays.fill(scores, at, at + n, 0);
      return;
    }
    if (rule.softcap() > 0) {
      kernels.cap(scores, at, n, rule.softcap());
    }
    Arrays.fill(scores, at, at + low, Float.NEGATIVE_INFINITY);
    Arrays.fill(scores, at + high, at + n, Float.NEGATIVE_INFINITY);
    float before = greatest[query];
    float now = Math.max(before, kernels.max(scores, at, n));
    float factor = now == before ? 1 : FloatExp.share(before - now);
    kernels.softmaxWeights(scores, at, n, now, factor, sums, query * PARTIALS);
    if (factor != 1) {
      kernels.scale(outputs, query * stride, stride, factor);
    }
    greatest[query] = now;
  }

  /** Adds the weighted values of one page to the outputs of all queries. */
  private void addValues(long page, int count, int at, int positions) {
    if (direct(count) && stride % KvCache.PAIR == 0) {
      for (int i = 0; i < count; i += QUAD) {
        kernels.halfOutputs4(
            scores, i * CHUNK + at, positions, memory, page, stride, outputs, i * stride);
      }
      return;
    }
    loadValues(page, positions);
    for (int i = 0; i < count; i += QUAD) {
      if (count - i > 1) {
        kernels.outputs4(scores, i * CHUNK + at, positions, values, stride, outputs, i * stride);
      } else {
        kernels.outputs1(scores, i * CHUNK + at, positions, values, stride, outputs, i * stride);
      }
    }
  }

  /**
   * Adds a query's result of a span to that of the spans before. A span without visible positions
   * changes nothing.
   */
  private void merge(
      int query, float[] spanOutputs, int oo, float[] spanSums, int so, float spanGreatest) {
    if (spanGreatest == Float.NEGATIVE_INFINITY) {
      return;
    }
    float before = allGreatest[query];
    float now = Math.max(before, spanGreatest);
    float old = now == before ? 1 : FloatExp.share(before - now);
    float young = now == spanGreatest ? 1 : FloatExp.share(spanGreatest - now);
    for (int i = 0; i < PARTIALS; i++) {
      int at = query * PARTIALS + i;
      allSums[at] = Math.fma(spanSums[so + i], young, allSums[at] * old);
    }
    for (int d = 0; d < stride; d++) {
      int at = query * stride + d;
      allOutputs[at] = Math.fma(spanOutputs[oo + d], young, allOutputs[at] * old);
    }
    allGreatest[query] = now;
  }

  /**
   * Divides the outputs by the sums of the shares. -0 becomes 0: the result must not show whether
   * invisible positions were skipped or added with share 0.
   */
  private void finish(Attention.Call call, int row, int rows, int kvHead) {
    int dims = shape.valueDim();
    float[] out = call.out();
    for (int i = 0; i < rows * group; i++) {
      float sum = sum(i * PARTIALS);
      int to = head(row, kvHead, i) * dims;
      for (int d = 0; d < dims; d++) {
        out[to + d] = allOutputs[i * stride + d] / sum + 0f;
      }
    }
  }

  /** The partial sums, pairwise. */
  private float sum(int at) {
    for (int half = PARTIALS / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; i++) {
        allSums[at + i] += allSums[at + i + half];
      }
    }
    return allSums[at];
  }
}
