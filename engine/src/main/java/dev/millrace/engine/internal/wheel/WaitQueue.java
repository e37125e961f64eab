package dev.millrace.engine.internal.wheel;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sequences that wait for admission into a pipe, in the order of their claims; none of them has
 * pages.
 */
final class WaitQueue {
  private final List<Sequence> waiting = new ArrayList<>();

  List<Sequence> waiting() {
    return waiting;
  }

  @Nullable Sequence first() {
    return waiting.isEmpty() ? null : waiting.getFirst();
  }

  /** The first after all interactive ones. */
  @Nullable Sequence firstNotInteractive() {
    for (int i = 0; i < waiting.size(); i++) {
      if (!waiting.get(i).isInteractive()) {
        return waiting.get(i);
      }
    }
    return null;
  }

  void put(Sequence sequence) {
    insert(waiting, sequence);
  }

  void remove(Sequence sequence) {
    waiting.remove(sequence);
  }

  /** Inserts a sequence by its claim. */
  static void insert(List<Sequence> into, Sequence sequence) {
    int low = 0;
    int high = into.size();
    if (high > 0 && into.getLast().isBefore(sequence)) {
      low = high; // the usual case: at the end
    }
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (into.get(middle).isBefore(sequence)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    into.add(low, sequence);
  }

  /** For tests: finds sequences out of order, and waiting ones with pages. */
  void check() {
    checkOrder(waiting);
    for (Sequence sequence : waiting) {
      sequence.require(sequence.admission == null, "waits, and has a place");
      sequence.require(sequence.pageCount() + sequence.reservedPages() == 0, "waits with pages");
    }
  }

  static void checkOrder(List<Sequence> sequences) {
    for (int i = 1; i < sequences.size(); i++) {
      sequences.get(i).require(sequences.get(i - 1).isBefore(sequences.get(i)), "is out of order");
    }
  }
}
