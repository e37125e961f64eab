package dev.millrace.engine.internal.token;

import java.util.Arrays;

/**
 * Joins neighbouring symbols of a text, the best pair first and the leftmost of equal pairs, until
 * no pair can be joined. It takes O(n log n) for n symbols: pairs wait in a heap, and a pair that
 * has changed is skipped when it is taken. Used for one word after the other, by one thread.
 */
final class PairMerger {
  /** The priority of a pair that must not be joined. */
  static final int NEVER = Integer.MAX_VALUE;

  /** The priority of joining two neighbours; a smaller number comes first. */
  @FunctionalInterface
  interface Priority {
    int of(byte[] text, int from, int middle, int to);
  }

  private final Priority priority;
  private byte[] text = {};
  private int size;
  private int[] starts = new int[65]; // of the symbols in the text, and the end of the last one
  private int[] next = new int[64]; // the symbol to the right; size if there is none
  private int[] previous = new int[64]; // the symbol to the left; -1 if there is none
  private int[] urgency = new int[64]; // of joining a symbol with the one to its right
  private long[] heap = new long[64]; // urgency and symbol of pairs; the smallest is at 0
  private int waiting;

  PairMerger(Priority priority) {
    this.priority = priority;
  }

  /** Starts a new text without symbols. */
  void begin(byte[] newText) {
    text = newText;
    size = 0;
    waiting = 0;
  }

  /** Adds a symbol that starts where the previous one ends. */
  void add(int from, int to) {
    if (size == next.length) {
      int capacity = size * 2;
      starts = Arrays.copyOf(starts, capacity + 1);
      next = Arrays.copyOf(next, capacity);
      previous = Arrays.copyOf(previous, capacity);
      urgency = Arrays.copyOf(urgency, capacity);
    }
    starts[size] = from;
    previous[size] = size - 1;
    next[size] = ++size;
    starts[size] = to;
  }

  /** Joins all pairs that can be joined. */
  void run() {
    for (int symbol = 0; symbol < size; symbol++) {
      look(symbol);
    }
    while (waiting > 0) {
      long best = poll();
      int left = (int) best;
      if (urgency[left] == (int) (best >> 32)) {
        join(left);
      }
    }
  }

  /** The first symbol; the others follow by {@link #next}, up to {@link #end}. */
  int first() {
    return 0;
  }

  int next(int symbol) {
    return next[symbol];
  }

  /** The number after the last symbol. */
  int end() {
    return size;
  }

  int from(int symbol) {
    return starts[symbol];
  }

  int to(int symbol) {
    return starts[next[symbol]];
  }

  private void join(int left) {
    int right = next[left];
    urgency[right] = NEVER;
    next[left] = next[right];
    if (next[left] < size) {
      previous[next[left]] = left;
    }
    if (previous[left] >= 0) {
      look(previous[left]);
    }
    look(left);
  }

  private void look(int left) {
    int right = next[left];
    urgency[left] =
        right == size ? NEVER : priority.of(text, starts[left], starts[right], to(right));
    if (urgency[left] != NEVER) {
      offer((long) urgency[left] << 32 | left);
    }
  }

  private void offer(long pair) {
    if (waiting == heap.length) {
      heap = Arrays.copyOf(heap, waiting * 2);
    }
    int at = waiting++;
    while (at > 0 && heap[(at - 1) / 2] > pair) {
      heap[at] = heap[(at - 1) / 2];
      at = (at - 1) / 2;
    }
    heap[at] = pair;
  }

  private long poll() {
    long best = heap[0];
    long last = heap[--waiting];
    int at = 0;
    for (int child = 1; child < waiting; child = 2 * at + 1) {
      if (child + 1 < waiting && heap[child + 1] < heap[child]) {
        child++;
      }
      if (heap[child] >= last) {
        break;
      }
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = last;
    return best;
  }
}
