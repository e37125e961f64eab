package dev.millrace.engine.internal.grammar.automaton;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.grammar.GrammarRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * A grammar as a pushdown automaton over bytes: one deterministic graph per rule, with states
 * numbered across all of them. Reading stays within a rule's graph; a call continues at the start
 * of another and returns to its return state. States from which the grammar cannot be completed are
 * removed. Immutable.
 */
public final class PushdownAutomaton {
  private static final int[] NO_CALLS = {};
  private static final int STATE_BYTES = 48;

  public final ByteClasses classes;
  final int[] starts; // (rule) -> its first state
  final int[] order; // rules such that each comes after those that can call it before reading
  final boolean nullable; // whether the empty text is in the grammar
  private final int[][]
      rows; // (state)(byte class) -> state, -1 where there is none; no length where all are -1
  private final int[][] calls; // (state) -> rule and return state in turn
  private final BitSet ends = new BitSet();
  private final BitSet exits = new BitSet(); // ends without continuation
  private final long bytes;

  /** The automaton of a grammar, for tokens that use only some bytes. */
  public static PushdownAutomaton of(
      GrammarRules grammar, BitSet presentBytes, CompileBudget budget) {
    List<RuleGraphBuilder.Graph> graphs = RuleGraphBuilder.of(grammar, budget);
    PushdownAutomaton automaton = new PushdownAutomaton(grammar, graphs, presentBytes, budget);
    automaton.trim();
    int root = automaton.starts[0];
    if (automaton.isExit(root) || !automaton.hasContinuation(root)) {
      if (!automaton.nullable) {
        throw new GrammarException(
            "the vocabulary cannot spell the grammar: rule %s needs one of the bytes that are in no token (%s)"
                .formatted(grammar.root(), missing(presentBytes)));
      }
    }
    return automaton;
  }

  private PushdownAutomaton(
      GrammarRules grammar,
      List<RuleGraphBuilder.Graph> graphs,
      BitSet presentBytes,
      CompileBudget budget) {
    classes = new ByteClasses(graphs, presentBytes);
    starts = new int[graphs.size()];
    nullable = grammar.analysis().isNullable(grammar.root());
    List<SubsetConstruction.State> states = new ArrayList<>();
    for (int rule = 0; rule < starts.length; rule++) {
      starts[rule] = states.size();
      states.addAll(SubsetConstruction.of(graphs.get(rule), classes, states.size(), budget));
    }
    rows = new int[states.size()][];
    calls = new int[states.size()][];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = states.get(i).row();
      calls[i] = states.get(i).calls();
      ends.set(i, states.get(i).end());
    }
    order = callOrder();
    long size = 0;
    for (int i = 0; i < rows.length; i++) {
      size += STATE_BYTES + 4L * (rows[i].length + calls[i].length);
    }
    bytes = size;
  }

  /** About the memory that it takes. */
  public long bytes() {
    return bytes;
  }

  /** What a new state of its execution costs, in frames: its arrays. */
  int stateCost() {
    return 4 + classes.count() / 8;
  }

  int states() {
    return rows.length;
  }

  boolean reads(int state) {
    return rows[state].length > 0;
  }

  /** The state after a byte of the class; -1 where there is none. */
  int next(int state, int byteClass) {
    int[] row = rows[state];
    return row.length == 0 ? -1 : row[byteClass];
  }

  /** The calls from a state: a rule and the state to return to, in turn. */
  int[] calls(int state) {
    return calls[state];
  }

  boolean isEnd(int state) {
    return ends.get(state);
  }

  /**
   * Whether the rule ends here without continuation: no frame is needed to return to such a state.
   */
  boolean isExit(int state) {
    return exits.get(state);
  }

  private boolean hasContinuation(int state) {
    return rows[state].length > 0 || calls[state].length > 0;
  }

  /** Removes the states from which no end can be reached, and the edges to them. */
  private void trim() {
    BitSet live = new LiveStateFinder(this).live();
    for (int state = 0; state < rows.length; state++) {
      boolean any = false;
      for (int c = 0; c < rows[state].length; c++) {
        if (rows[state][c] >= 0 && !live.get(rows[state][c])) {
          rows[state][c] = -1;
        }
        any |= rows[state][c] >= 0;
      }
      rows[state] = any && live.get(state) ? rows[state] : new int[0];
      calls[state] = live.get(state) ? liveCalls(calls[state], live) : NO_CALLS;
      exits.set(state, ends.get(state) && !hasContinuation(state));
    }
  }

  private int[] liveCalls(int[] pairs, BitSet live) {
    int[] kept = new int[pairs.length];
    int size = 0;
    for (int i = 0; i < pairs.length; i += 2) {
      if (live.get(starts[pairs[i]]) && live.get(pairs[i + 1])) {
        kept[size++] = pairs[i];
        kept[size++] = pairs[i + 1];
      }
    }
    return size == pairs.length ? pairs : Arrays.copyOf(kept, size);
  }

  int[] row(int state) {
    return rows[state];
  }

  /**
   * Sorts the rules by the calls from their starts, which form no cycle as there is no left
   * recursion.
   */
  private int[] callOrder() {
    int[] callers = new int[starts.length];
    for (int start : starts) {
      for (int i = 0; i < calls[start].length; i += 2) {
        callers[calls[start][i]]++;
      }
    }
    int[] sorted = new int[starts.length];
    int size = 0;
    for (int rule = 0; rule < starts.length; rule++) {
      if (callers[rule] == 0) {
        sorted[size++] = rule;
      }
    }
    for (int at = 0; at < size; at++) {
      int[] pairs = calls[starts[sorted[at]]];
      for (int i = 0; i < pairs.length; i += 2) {
        if (--callers[pairs[i]] == 0) {
          sorted[size++] = pairs[i];
        }
      }
    }
    if (size < sorted.length) {
      throw new IllegalStateException("left recursion that the grammar check missed");
    }
    return sorted;
  }

  private static String missing(BitSet present) {
    List<String> missing = new ArrayList<>();
    for (int b = present.nextClearBit(0); b < 256; b = present.nextClearBit(b + 1)) {
      missing.add("%02X".formatted(b));
    }
    return missing.size() > 16 ? missing.size() + " bytes" : String.join(" ", missing);
  }
}
