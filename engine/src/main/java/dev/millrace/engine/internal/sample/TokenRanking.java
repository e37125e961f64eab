package dev.millrace.engine.internal.sample;

/**
 * Ranks tokens: the higher score first, of equal scores the lower id. A token and its score are
 * packed into one long, so the order is that of the numbers and no two are equal. It is a heap in a
 * fixed array.
 */
public final class TokenRanking {
  private final long[] heap; // a binary heap with the least key at 0
  private int size;

  public TokenRanking(int capacity) {
    heap = new long[capacity];
  }

  static long key(float score, int token) {
    int bits = Float.floatToRawIntBits(score + 0.0f); // -0.0 and 0.0 are one score
    return ((long) (bits ^ ((bits >> 31) & 0x7fffffff)) << 32) | (~token & 0xffffffffL);
  }

  public static int token(long key) {
    return ~(int) key;
  }

  public static float score(long key) {
    int bits = (int) (key >> 32);
    return Float.intBitsToFloat(bits ^ ((bits >> 31) & 0x7fffffff));
  }

  public int size() {
    return size;
  }

  /** The key at a rank, after {@link #best}. */
  public long get(int rank) {
    return heap[rank];
  }

  /**
   * Keeps the {@code count} best of the scores (fewer if fewer are above minus infinity), the best
   * at rank 0.
   */
  public void best(float[] scores, int offset, int length, int count) {
    size = 0;
    float floor = Float.NEGATIVE_INFINITY;
    for (int i = 0; i < length; i++) {
      float score = scores[offset + i];
      // ids ascend, so that a later token of the same score never displaces an earlier one; NaN is
      // never above
      if (score > floor) {
        if (size < count) {
          append(key(score, i));
        } else {
          heap[0] = key(score, i);
          sink(0, size);
        }
        floor = size < count ? Float.NEGATIVE_INFINITY : score(heap[0]);
      }
    }
    sortDescending();
  }

  void clear() {
    size = 0;
  }

  /** Adds without order; call {@link #sortDescending} or {@link #order} afterwards. */
  void add(long key) {
    heap[size++] = key;
  }

  /** Makes a heap of the added keys, negated by the caller where the best is to come first. */
  void order() {
    for (int i = size / 2 - 1; i >= 0; i--) {
      sink(i, size);
    }
  }

  /** Removes the least key. */
  long take() {
    long least = heap[0];
    heap[0] = heap[--size];
    sink(0, size);
    return least;
  }

  private void append(long key) {
    int at = size++;
    while (at > 0 && heap[(at - 1) / 2] > key) {
      heap[at] = heap[(at - 1) / 2];
      at = (at - 1) / 2;
    }
    heap[at] = key;
  }

  private void sortDescending() {
    for (int end = size - 1; end > 0; end--) {
      long least = heap[0];
      heap[0] = heap[end];
      heap[end] = least;
      sink(0, end);
    }
  }

  private void sink(int at, int end) {
    long key = heap[at];
    while (true) {
      int child = 2 * at + 1;
      if (child >= end) {
        break;
      }
      if (child + 1 < end && heap[child + 1] < heap[child]) {
        child++;
      }
      if (heap[child] >= key) {
        break;
      }
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = key;
  }
}
