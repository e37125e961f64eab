package dev.millrace.engine.internal.cache;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.KvPageSize;
import dev.millrace.engine.internal.tensor.ComputePool;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * Attention of a batch's queries over the keys and values of a cache. Write the batch's own keys
 * and values first. Allocated once, for one call at a time. The bits of each output element depend
 * only on its own query and its sequence's keys and values.
 */
public final class Attention {
  /**
   * @param scale multiplies the scores, usually 1 / sqrt(keyDim)
   * @param softcap scores become softcap * tanh(score / softcap); 0 for none
   * @param window a position sees this many positions up to and including itself; 0 for all; needs
   *     causal attention
   * @param causal whether a position sees only those up to itself; else all of its sequence up to
   *     the run's last
   */
  public record Rule(float scale, float softcap, int window, boolean causal) {
    public Rule {
      if (window < 0 || !(softcap >= 0)) {
        throw new EngineException(
            "attention window " + window + ", softcap " + softcap + ": must not be negative");
      }
      if (window > 0 && !causal) {
        throw new EngineException(
            "attention has a window of " + window + " and is not causal: must be one or the other");
      }
    }

    /** Causal, over everything. */
    public static Rule causal(float scale) {
      return new Rule(scale, 0, 0, true);
    }

    /** The first position that a position sees. */
    int first(int position) {
      return window == 0 ? 0 : Math.max(0, position - window + 1);
    }
  }

  private final int kvHeads;
  private final int group;
  private final int rowsPerBlock;
  private final AttentionWorker[] blocks;

  /** The first row of each block of rows. */
  private final int[] firstRow;

  /** How many rows it has. */
  private final int[] rowCount;

  /** How many blocks of rows there are. */
  private int count;

  /** With at most this many parts per thread, parts are cut further into spans. */
  private static final int FEW = 4;

  /**
   * The memory of one call for spans is bounded; a call that would need more is not cut further.
   */
  private static final int MOST_SLOTS = 1 << 14;

  /** (part, group, slot width): the results of spans. */
  private final float[] slots;

  private final int slotWidth;

  /** The first part of each block of rows that is cut into spans. */
  private final int[] firstPart;

  /** (block, kv head): how many spans are not yet computed. */
  private final AtomicIntegerArray missing;

  private final Call call = new Call();
  private final ComputePool.ParallelLoop section = this::part;
  private final ComputePool.ParallelLoop spanSection = this::span;

  /** The arguments of the current call: one reused object, because a call must not allocate. */
  static final class Call {
    private int layer;
    private @Nullable Rule rule;
    private @Nullable Batch batch;
    private float @Nullable [] q;
    private float @Nullable [] out;

    int layer() {
      return layer;
    }

    Rule rule() {
      return Objects.requireNonNull(rule);
    }

    Batch batch() {
      return Objects.requireNonNull(batch);
    }

    float[] q() {
      return Objects.requireNonNull(q);
    }

    float[] out() {
      return Objects.requireNonNull(out);
    }
  }

  /**
   * @param heads query heads, a multiple of the store's kvHeads: query head h uses kv head h /
   *     (heads / kvHeads)
   * @param maxRows of the largest batch
   * @param threads of the pool that will run it
   */
  public Attention(KernelType kernels, KvCache store, int heads, int maxRows, int threads) {
    kvHeads = store.shape().kvHeads();
    if (heads < 1 || heads % kvHeads != 0) {
      throw new EngineException(
          heads
              + " query heads cannot share "
              + kvHeads
              + " key and value heads: must be a multiple");
    }
    group = heads / kvHeads;
    rowsPerBlock = AttentionWorker.rows(group);
    firstRow = new int[maxRows];
    rowCount = new int[maxRows];
    blocks = new AttentionWorker[threads];
    int fewBlocks = (FEW * threads - 1) / kvHeads;
    firstPart = new int[fewBlocks + 1];
    missing = new AtomicIntegerArray(fewBlocks * kvHeads);
    slotWidth = AttentionWorker.slotWidth(store.shape());
    long spans =
        Math.ceilDiv((long) store.shape().pages() * KvPageSize.POSITIONS, AttentionWorker.SPAN);
    slots = new float[(int) Math.min(MOST_SLOTS, spans * fewBlocks * heads) * slotWidth];
    AttentionKernels pages = AttentionKernels.of(kernels);
    for (int i = 0; i < threads; i++) {
      blocks[i] = new AttentionWorker(pages, store, group);
    }
  }

  /**
   * @param layer of the store
   * @param q (row, heads, keyDim)
   * @param out (row, heads, valueDim)
   */
  public void run(ComputePool pool, int layer, Rule rule, Batch batch, float[] q, float[] out) {
    call.layer = layer;
    call.rule = rule;
    call.batch = batch;
    call.q = q;
    call.out = out;
    cut(batch);
    if (batch.rows == count && cutSpans()) {
      pool.run(firstPart[count], spanSection);
    } else {
      pool.run(count * kvHeads, section);
    }
  }

  /** Cuts each run into blocks of rows. */
  private void cut(Batch batch) {
    count = 0;
    for (int run = 0; run < batch.runs; run++) {
      int end = batch.firstRow[run] + batch.rowCount[run];
      for (int row = batch.firstRow[run]; row < end; row += rowsPerBlock) {
        firstRow[count] = row;
        rowCount[count] = Math.min(rowsPerBlock, end - row);
        count++;
      }
    }
  }

  /**
   * Turns spans into parts if blocks have one row each and are too few to keep all threads busy.
   * False if there are too many or too few for that.
   */
  private boolean cutSpans() {
    if (count * kvHeads >= FEW * blocks.length) {
      return false;
    }
    for (int block = 0; block < count; block++) {
      int spans =
          AttentionWorker.last(call, firstRow[block], 1) / AttentionWorker.SPAN
              - AttentionWorker.firstSpan(call, firstRow[block])
              + 1;
      firstPart[block + 1] = firstPart[block] + spans * kvHeads;
      for (int kvHead = 0; kvHead < kvHeads; kvHead++) {
        missing.set(block * kvHeads + kvHead, spans);
      }
    }
    return firstPart[count] > count * kvHeads
        && (long) firstPart[count] * group * slotWidth <= slots.length;
  }

  /**
   * The last blocks first: those of a long prompt take longest, so they must not be the last to
   * finish.
   */
  private void part(int part, int worker) {
    int block = count - 1 - part / kvHeads;
    blocks[worker].run(call, firstRow[block], rowCount[block], part % kvHeads);
  }

  /** One span; the thread that computes the last missing span merges them all, in their order. */
  private void span(int part, int worker) {
    int block = 0;
    while (firstPart[block + 1] <= part) {
      block++;
    }
    int row = firstRow[block];
    int spans = (firstPart[block + 1] - firstPart[block]) / kvHeads;
    int kvHead = (part - firstPart[block]) / spans;
    int first = firstPart[block] + kvHead * spans;
    blocks[worker].runSpan(
        call,
        row,
        kvHead,
        AttentionWorker.firstSpan(call, row) + part - first,
        slots,
        part * group * slotWidth);
    if (missing.decrementAndGet(block * kvHeads + kvHead) == 0) {
      blocks[worker].mergeSpans(call, row, kvHead, slots, first * group * slotWidth, spans);
    }
  }
}
