package dev.millrace.engine.internal.wheel;

import java.util.ArrayList;
import java.util.List;

/** Those who wait for a place in a pipe, in the order of their claims; none of them has pages. */
final class WaitQueue {
  private final List<Sequence> waiting = new ArrayList<>();

  List<Sequence> waiting() {
    return waiting;
  }

  void put(Sequence sequence) {
    insert(waiting, sequence);
  }

  void remove(Sequence sequence) {
    waiting.remove(sequence);
  }

  /** Puts a sequence where its claim belongs. */
  static void insert(List<Sequence> into, Sequence sequence) {
    int low = 0;
    int high = into.size();
    if (high > 0 && into.getLast().isBefore(sequence)) {
      low = high; // as most are
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

  /** For tests: finds sequences out of place, and such that wait with pages. */
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
