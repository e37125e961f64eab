package dev.millrace.engine.internal.grammar.automaton;

import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.grammar.CodePointSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The graph of one rule while it is built: states connected by byte ranges, calls of rules, or
 * empty edges.
 */
final class Nfa {
  static final int EMPTY = 0;
  static final int BYTES = 1;
  static final int CALL = 2;

  /** What a state and an edge take, with the unused part of their arrays. */
  private static final int STATE_BYTES = 8;

  private static final int EDGE_BYTES = 40;

  private final CompileBudget budget;
  private int[] firstEdge = new int[16]; // (state) -> edge, -1 where there is none
  private int states;
  private int[] edges = new int[80]; // kind, a, b, target, next edge of the state
  private int edgeCount;

  Nfa(CompileBudget budget) {
    this.budget = budget;
  }

  int state() {
    budget.chargeBytes(STATE_BYTES);
    if (states == firstEdge.length) {
      firstEdge = Arrays.copyOf(firstEdge, 2 * states);
    }
    firstEdge[states] = -1;
    return states++;
  }

  int states() {
    return states;
  }

  void empty(int from, int to) {
    edge(from, EMPTY, 0, 0, to);
  }

  void bytes(int from, int first, int last, int to) {
    edge(from, BYTES, first, last, to);
  }

  void call(int from, int rule, int to) {
    edge(from, CALL, rule, 0, to);
  }

  private void edge(int from, int kind, int a, int b, int to) {
    budget.chargeBytes(EDGE_BYTES);
    if (5 * edgeCount == edges.length) {
      edges = Arrays.copyOf(edges, 2 * edges.length);
    }
    int at = 5 * edgeCount;
    edges[at] = kind;
    edges[at + 1] = a;
    edges[at + 2] = b;
    edges[at + 3] = to;
    edges[at + 4] = firstEdge[from];
    firstEdge[from] = edgeCount++;
  }

  int firstEdge(int state) {
    return firstEdge[state];
  }

  int nextEdge(int edge) {
    return edges[5 * edge + 4];
  }

  int kind(int edge) {
    return edges[5 * edge];
  }

  /** The first byte, or the rule called. */
  int first(int edge) {
    return edges[5 * edge + 1];
  }

  int last(int edge) {
    return edges[5 * edge + 2];
  }

  int target(int edge) {
    return edges[5 * edge + 3];
  }

  int edges() {
    return edgeCount;
  }

  /** Connects two states by the UTF-8 encodings of a set; sequences with the same rest share it. */
  void characters(int from, CodePointSet set, int to) {
    Map<List<Integer>, Integer> shared = new HashMap<>();
    int[] bounds = set.bounds();
    for (int i = 0; i < bounds.length; i += 2) {
      for (int[] sequence : utf8(bounds[i], bounds[i + 1])) {
        int next = to;
        for (int at = sequence.length - 2; at > 0; at -= 2) {
          budget.chargeSteps(4);
          List<Integer> key = List.of(sequence[at], sequence[at + 1], next);
          Integer known = shared.get(key);
          if (known == null) {
            known = state();
            bytes(known, sequence[at], sequence[at + 1], next);
            shared.put(key, known);
          }
          next = known;
        }
        bytes(from, sequence[0], sequence[1], next);
      }
    }
  }

  /**
   * The encodings of a range of code points as sequences of byte ranges: first and last byte,
   * alternating.
   */
  private static List<int[]> utf8(int first, int last) {
    List<int[]> sequences = new ArrayList<>();
    int[] limits = {0x7f, 0x7ff, 0xffff, Character.MAX_CODE_POINT};
    int from = first;
    for (int length = 1; length <= 4; length++) {
      int end = Math.min(last, limits[length - 1]);
      if (from <= end) {
        split(from, end, length, sequences);
        from = end + 1;
      }
    }
    return sequences;
  }

  /**
   * Cuts a range of characters of one length until the low bytes of each part cover all their
   * values.
   */
  private static void split(int first, int last, int length, List<int[]> into) {
    for (int tail = 1; tail < length; tail++) {
      int low = (1 << 6 * tail) - 1;
      if ((first & ~low) != (last & ~low)) {
        if ((first & low) != 0) {
          split(first, first | low, length, into);
          split((first | low) + 1, last, length, into);
          return;
        }
        if ((last & low) != low) {
          split(first, (last & ~low) - 1, length, into);
          split(last & ~low, last, length, into);
          return;
        }
      }
    }
    int[] sequence = new int[2 * length];
    for (int i = 0; i < length; i++) {
      int shift = 6 * (length - 1 - i);
      int lead = i > 0 ? 0x80 : new int[] {0, 0xc0, 0xe0, 0xf0}[length - 1];
      int bits = i > 0 ? 0x3f : 0x7f;
      sequence[2 * i] = lead | (first >> shift & bits);
      sequence[2 * i + 1] = lead | (last >> shift & bits);
    }
    into.add(sequence);
  }
}
