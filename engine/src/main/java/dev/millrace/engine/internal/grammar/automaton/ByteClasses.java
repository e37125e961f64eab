package dev.millrace.engine.internal.grammar.automaton;

import java.util.BitSet;
import java.util.List;

/**
 * Groups the bytes that no rule distinguishes into classes, numbered in the order of their bytes.
 * Bytes that are in no token have no class.
 */
public final class ByteClasses {
  static final int NONE = -1;

  private final int[] classOf = new int[256];
  private final int[] from = new int[257]; // (byte) -> the first class at or above it
  private final int count;

  ByteClasses(List<RuleGraphBuilder.Graph> graphs, BitSet present) {
    BitSet cuts = new BitSet();
    for (RuleGraphBuilder.Graph graph : graphs) {
      for (int edge = 0; edge < graph.nfa().edges(); edge++) {
        if (graph.nfa().kind(edge) == Nfa.BYTES) {
          cuts.set(graph.nfa().first(edge));
          cuts.set(graph.nfa().last(edge) + 1);
        }
      }
    }
    int classes = 0;
    boolean open = false; // whether the previous byte belongs to a class that continues
    for (int b = 0; b < 256; b++) {
      open &= !cuts.get(b);
      from[b] = open ? classes - 1 : classes;
      if (!present.get(b)) {
        classOf[b] = NONE;
        continue;
      }
      if (!open) {
        classes++;
        open = true;
      }
      classOf[b] = classes - 1;
    }
    from[256] = classes;
    count = classes;
  }

  int count() {
    return count;
  }

  /** The class of a byte, or {@link #NONE}. */
  public int of(int b) {
    return classOf[b];
  }

  /** The first class at or above a byte, which begins a range or follows one. */
  int from(int b) {
    return from[b];
  }
}
