package dev.millrace.engine.internal.grammar.automaton;

import dev.millrace.engine.error.GrammarException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes the graph of a rule deterministic over classes of bytes and calls. No edge leads back to
 * the start state.
 */
final class SubsetConstruction {
  /**
   * A state: targets by byte class (empty if none), calls as alternating rule and return state,
   * whether it may end.
   */
  record State(int[] row, int[] calls, boolean end) {}

  private static final int[] NO_ROW = {};
  private static final int MEMBERS_PER_STATE = 40; // on average, which is far more than usual

  private final RuleGraphBuilder.Graph graph;
  private final Nfa nfa;
  private final ByteClasses classes;
  private final int base;
  private final int limit;
  private final Map<Numbers, Integer> known = new HashMap<>();
  private final List<Numbers> subsets = new ArrayList<>();
  private final int[] seen; // (graph state) -> the round in which the closure reached it
  private int round;
  private long members; // of all subsets together

  private SubsetConstruction(
      RuleGraphBuilder.Graph graph, ByteClasses classes, int base, int limit) {
    this.graph = graph;
    nfa = graph.nfa();
    this.classes = classes;
    this.base = base;
    this.limit = limit;
    seen = new int[nfa.states()];
  }

  /** The states of a rule; numbered from {@code base}, the start first. */
  static List<State> of(RuleGraphBuilder.Graph graph, ByteClasses classes, int base, int limit) {
    SubsetConstruction subsets = new SubsetConstruction(graph, classes, base, limit);
    Numbers first = new Numbers();
    first.add(0);
    subsets.subsets.add(subsets.closure(first));
    List<State> states = new ArrayList<>();
    for (int i = 0; i < subsets.subsets.size(); i++) {
      states.add(subsets.state(subsets.subsets.get(i)));
    }
    return states;
  }

  private State state(Numbers subset) {
    Numbers[] targets = new Numbers[classes.count()];
    Map<Integer, Numbers> calls = new TreeMap<>();
    for (int i = 0; i < subset.size; i++) {
      int member = subset.items[i];
      for (int edge = nfa.firstEdge(member); edge >= 0; edge = nfa.nextEdge(edge)) {
        if (nfa.kind(edge) == Nfa.CALL) {
          calls.computeIfAbsent(nfa.first(edge), rule -> new Numbers()).add(nfa.target(edge));
        } else if (nfa.kind(edge) == Nfa.BYTES) {
          for (int c = classes.from(nfa.first(edge)); c < classes.from(nfa.last(edge) + 1); c++) {
            targets[c] = targets[c] == null ? new Numbers() : targets[c];
            targets[c].add(nfa.target(edge));
          }
        }
      }
    }
    return new State(
        row(targets), calls(calls), Arrays.binarySearch(subset.items, graph.end()) >= 0);
  }

  private int[] row(@Nullable Numbers[] targets) {
    int[] row = new int[targets.length];
    boolean any = false;
    for (int c = 0; c < row.length; c++) {
      boolean same = c > 0 && targets[c] != null && targets[c].equals(targets[c - 1]);
      row[c] = targets[c] == null ? -1 : same ? row[c - 1] : target(targets[c]);
      any |= row[c] >= 0;
    }
    return any ? row : NO_ROW;
  }

  private int[] calls(Map<Integer, Numbers> calls) {
    int[] pairs = new int[2 * calls.size()];
    int at = 0;
    for (Map.Entry<Integer, Numbers> entry : calls.entrySet()) {
      pairs[at++] = entry.getKey();
      pairs[at++] = target(entry.getValue());
    }
    return pairs;
  }

  private int target(Numbers from) {
    Numbers subset = closure(from);
    Integer id = known.putIfAbsent(subset, base + subsets.size());
    if (id != null) {
      return id;
    }
    members += subset.size;
    if (base + subsets.size() >= limit || members > MEMBERS_PER_STATE * (long) limit) {
      throw new GrammarException(
          "rule %s is too large: the grammar would need more than %d states; use smaller repetitions or split it"
              .formatted(graph.name(), limit));
    }
    subsets.add(subset);
    return base + subsets.size() - 1;
  }

  /**
   * The states that can be reached without reading and that read something or end the rule;
   * ascending.
   */
  private Numbers closure(Numbers from) {
    round++;
    Numbers work = from.copy();
    Numbers kept = new Numbers();
    while (work.size > 0) {
      int state = work.items[--work.size];
      if (seen[state] == round) {
        continue;
      }
      seen[state] = round;
      boolean reads = state == graph.end();
      for (int edge = nfa.firstEdge(state); edge >= 0; edge = nfa.nextEdge(edge)) {
        if (nfa.kind(edge) == Nfa.EMPTY) {
          work.add(nfa.target(edge));
        } else {
          reads = true;
        }
      }
      if (reads) {
        kept.add(state);
      }
    }
    Numbers subset = kept.copy();
    Arrays.sort(subset.items);
    return subset;
  }

  /** A growing list of numbers. */
  private static final class Numbers {
    private int[] items = new int[4];
    private int size;

    void add(int number) {
      items = size == items.length ? Arrays.copyOf(items, 2 * size) : items;
      items[size++] = number;
    }

    Numbers copy() {
      Numbers copy = new Numbers();
      copy.items = Arrays.copyOf(items, size);
      copy.size = size;
      return copy;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Numbers that
          && Arrays.equals(items, 0, size, that.items, 0, that.size);
    }

    @Override
    public int hashCode() {
      int hash = size;
      for (int i = 0; i < size; i++) {
        hash = 31 * hash + items[i];
      }
      return hash;
    }
  }
}
