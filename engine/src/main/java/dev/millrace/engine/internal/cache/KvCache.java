package dev.millrace.engine.internal.cache;

import dev.millrace.engine.api.KvType;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.KvPageSize;
import dev.millrace.engine.internal.tensor.LazyMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * The keys and values of some layers, in pages of {@link KvPageSize#POSITIONS} positions, outside of the
 * heap. Pages that were never written cost no resident memory. The caller decides which sequence
 * owns a page. Different threads may write different rows at the same time.
 *
 * <p>Keys are (layer, kv head, page, dim, position), so that scores have positions in lanes; values
 * are (layer, kv head, page, position, dim), so that outputs have dims in lanes: nothing is ever
 * summed across lanes. What one head's attention reads is contiguous as far as its pages are: that
 * matters, because a stream that jumps every 4 KiB reaches half the speed from memory. With {@link
 * KvType#Q8} the keys and values of a page are each followed by their scales (position).
 */
public final class KvCache implements AutoCloseable {
  /** Values are padded to this many elements, so that they are whole vectors at every width. */
  static final int STEP = 16;

  /** Values of so many elements are pairs of vectors at every width. */
  static final int PAIR = 2 * STEP;

  /** Keys and values of a page start at a cache line. */
  private static final long LINE = 64;

  private static final float GREATEST_HALF = 65504;

  /** With room for a scale that was rounded up: 127 times it must be finite. */
  private static final float GREATEST_SCALED = Float.MAX_VALUE / 2;

  /**
   * @param layers of this cache: those of its segment, counted from 0
   * @param keyDim elements of a key of one head
   * @param valueDim elements of a value of one head
   */
  public record Shape(int layers, int pages, int kvHeads, int keyDim, int valueDim, KvType type) {
    public Shape {
      if (layers < 1 || pages < 1 || kvHeads < 1 || keyDim < 1 || valueDim < 1) {
        throw new EngineException(
            "keys and values of %d layers, %d pages, %d heads, %d + %d elements: each must be at least 1"
                .formatted(layers, pages, kvHeads, keyDim, valueDim));
      }
    }

    /** The bytes of one page over all layers. */
    public long bytesPerPage() {
      return layers * kvHeads * (keyBytes() + valueBytes());
    }

    /** valueDim in whole vectors. */
    int valueStride() {
      return Math.ceilDiv(valueDim, STEP) * STEP;
    }

    /** Where the scales of a page's keys lie after its keys. */
    long keyScales() {
      return (long) KvPageSize.POSITIONS * keyDim * type.elementBytes;
    }

    /** Where the scales of a page's values lie after its values. */
    long valueScales() {
      return (long) KvPageSize.POSITIONS * valueStride() * type.elementBytes;
    }

    /** The bytes of the keys of a page, of one head. */
    long keyBytes() {
      return Math.ceilDiv(keyScales() + (long) KvPageSize.POSITIONS * type.scaleBytes, LINE) * LINE;
    }

    /** The bytes of the values of a page, of one head. */
    long valueBytes() {
      return Math.ceilDiv(valueScales() + (long) KvPageSize.POSITIONS * type.scaleBytes, LINE)
          * LINE;
    }
  }

  private final Shape shape;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;

  /** Where the values start. */
  private final long firstValue;

  public KvCache(Shape shape) {
    this.shape = shape;
    firstValue =
        Math.multiplyExact((long) shape.layers * shape.kvHeads * shape.pages, shape.keyBytes());
    // One line more: a vector of bytes may be wider than what is used of it.
    memory =
        LazyMemory.allocate(
            Math.addExact(Math.multiplyExact(shape.pages, shape.bytesPerPage()), LINE),
            arena,
            "keys and values: use a smaller context or fewer slots");
  }

  public Shape shape() {
    return shape;
  }

  MemorySegment memory() {
    return memory;
  }

  /** Where the keys of a page start, of one head. */
  long keys(int layer, int page, int kvHead) {
    return index(layer, page, kvHead) * shape.keyBytes();
  }

  /** Where the values of a page start, of one head. */
  long values(int layer, int page, int kvHead) {
    return firstValue + index(layer, page, kvHead) * shape.valueBytes();
  }

  /** Checked here, because kernels may run without bounds checks. */
  private long index(int layer, int page, int kvHead) {
    Objects.checkIndex(layer, shape.layers);
    Objects.checkIndex(page, shape.pages);
    return ((long) layer * shape.kvHeads + kvHead) * shape.pages + page;
  }

  /**
   * Writes one row's key and value at its position, in its run's page.
   *
   * @param k (kvHeads, keyDim) from ko on
   * @param v (kvHeads, valueDim) from vo on
   */
  public void put(int layer, Batch batch, int row, float[] k, int ko, float[] v, int vo) {
    int position = batch.position[row];
    int page = batch.pages[batch.runOf[row]][position / KvPageSize.POSITIONS];
    int at = position % KvPageSize.POSITIONS;
    int stride = shape.valueStride();
    for (int head = 0; head < shape.kvHeads; head++) {
      long keys = keys(layer, page, head);
      put(
          k,
          ko + head * shape.keyDim,
          shape.keyDim,
          keys,
          at,
          KvPageSize.POSITIONS,
          keys + shape.keyScales() + at * 4L);
      long values = values(layer, page, head);
      put(
          v,
          vo + head * shape.valueDim,
          shape.valueDim,
          values,
          at * stride,
          1,
          values + shape.valueScales() + at * 4L);
    }
  }

  /** Writes x[i] to the element {@code first + i * step} of an area. */
  private void put(float[] x, int xo, int n, long area, int first, int step, long scaleAt) {
    switch (shape.type) {
      case F32 -> {
        for (int i = 0; i < n; i++) {
          memory.set(
              ValueLayout.JAVA_FLOAT,
              area + 4L * (first + i * step),
              finite(x[xo + i], Float.MAX_VALUE));
        }
      }
      case F16 -> {
        for (int i = 0; i < n; i++) {
          short half = Float.floatToFloat16(finite(x[xo + i], GREATEST_HALF));
          memory.set(ValueLayout.JAVA_SHORT, area + 2L * (first + i * step), half);
        }
      }
      case Q8 -> putBytes(x, xo, n, area, first, step, scaleAt);
    }
  }

  private void putBytes(float[] x, int xo, int n, long area, int first, int step, long scaleAt) {
    float greatest = 0;
    for (int i = 0; i < n; i++) {
      greatest = Math.max(greatest, Math.abs(finite(x[xo + i], GREATEST_SCALED)));
    }
    float scale = greatest / 127;
    memory.set(ValueLayout.JAVA_FLOAT, scaleAt, scale);
    for (int i = 0; i < n; i++) {
      float q = scale == 0 ? 0 : (float) Math.rint(finite(x[xo + i], GREATEST_SCALED) / scale);
      memory.set(ValueLayout.JAVA_BYTE, area + first + i * step, (byte) Math.clamp(q, -127f, 127f));
    }
  }

  private static float finite(float x, float limit) {
    return x > limit ? limit : x < -limit ? -limit : x == x ? x : 0;
  }

  /**
   * Copies the keys and values of a page, of all layers: a partly filled shared page is copied
   * before it is changed.
   */
  public void copy(int fromPage, int toPage) {
    for (int layer = 0; layer < shape.layers; layer++) {
      for (int head = 0; head < shape.kvHeads; head++) {
        MemorySegment.copy(
            memory,
            keys(layer, fromPage, head),
            memory,
            keys(layer, toPage, head),
            shape.keyBytes());
        MemorySegment.copy(
            memory,
            values(layer, fromPage, head),
            memory,
            values(layer, toPage, head),
            shape.valueBytes());
      }
    }
  }

  /** Frees the memory; no thread may be using it. */
  @Override
  public void close() {
    arena.close();
  }
}
