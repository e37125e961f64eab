package dev.millrace.engine.internal.grammar.automaton;

import dev.millrace.engine.internal.budget.CompileBudget;
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
  private static final int STATE_BYTES = 96; // without its row and its calls
  private static final int CALL_BYTES = 64;

  private final RuleGraphBuilder.Graph graph;
  private final Nfa nfa;
  private final ByteClasses classes;
  private final int base;
  private final CompileBudget budget;
  private final Map<Numbers, Integer> known = new HashMap<>();
  private final List<Numbers> subsets = new ArrayList<>();
  private final int[] seen; // (graph state) -> the round in which the closure reached it
  private int round;

  private SubsetConstruction(
      RuleGraphBuilder.Graph graph, ByteClasses classes, int base, CompileBudget budget) {
    this.graph = graph;
    nfa = graph.nfa();
    this.classes = classes;
    this.base = base;
    this.budget = budget;
    budget.chargeBytes(4L * nfa.states());
    seen = new int[nfa.states()];
  }

  /** The states of a rule; numbered from {@code base}, the start first. */
  static List<State> of(
      RuleGraphBuilder.Graph graph, ByteClasses classes, int base, CompileBudget budget) {
    SubsetConstruction subsets = new SubsetConstruction(graph, classes, base, budget);
    Numbers first = new Numbers();
    first.add(0);
    budget.chargeState(graph.name());
    subsets.subsets.add(subsets.closure(first));
    List<State> states = new ArrayList<>();
    for (int i = 0; i < subsets.subsets.size(); i++) {
      states.add(subsets.state(subsets.subsets.get(i)));
    }
    return states;
  }

  private State state(Numbers subset) {
    budget.chargeBytes(STATE_BYTES + 4L * classes.count());
    Numbers[] targets = new Numbers[classes.count()];
    Map<Integer, Numbers> calls = new TreeMap<>();
    for (int i = 0; i < subset.size; i++) {
      int member = subset.items[i];
      for (int edge = nfa.firstEdge(member); edge >= 0; edge = nfa.nextEdge(edge)) {
        if (nfa.kind(edge) == Nfa.CALL) {
          budget.chargeBytes(CALL_BYTES);
          calls.computeIfAbsent(nfa.first(edge), rule -> new Numbers()).add(nfa.target(edge));
        } else if (nfa.kind(edge) == Nfa.BYTES) {
          int width = classes.from(nfa.last(edge) + 1) - classes.from(nfa.first(edge));
          budget.chargeSteps(1 + width);
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
    budget.chargeState(graph.name());
    budget.chargeBytes(4L * subset.size);
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
      budget.chargeSteps(1);
      boolean reads = state == graph.end();
      for (int edge = nfa.firstEdge(state); edge >= 0; edge = nfa.nextEdge(edge)) {
        budget.chargeSteps(1);
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
