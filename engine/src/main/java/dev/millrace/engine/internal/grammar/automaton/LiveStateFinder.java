package dev.millrace.engine.internal.grammar.automaton;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Finds the states of an automaton from which an end can be reached, searching backwards from the
 * ends.
 */
final class LiveStateFinder {
  private final PushdownAutomaton automaton;
  private final BitSet live = new BitSet();
  private final int[] firstBack; // (state) -> edge into it
  private int[] edges = new int[96]; // from, rule called or -1, next edge into the same state
  private int edgeCount;
  private final int[] firstWaiting; // (rule) -> edge that is live but for the rule
  private int[] work = new int[64];
  private int workSize;

  LiveStateFinder(PushdownAutomaton automaton) {
    this.automaton = automaton;
    firstBack = new int[automaton.states()];
    firstWaiting = new int[automaton.starts.length];
    Arrays.fill(firstBack, -1);
    Arrays.fill(firstWaiting, -1);
  }

  BitSet live() {
    for (int state = 0; state < automaton.states(); state++) {
      int last = -1;
      for (int target : automaton.row(state)) {
        if (target >= 0 && target != last) {
          edge(state, -1, target);
          last = target;
        }
      }
      int[] calls = automaton.calls(state);
      for (int i = 0; i < calls.length; i += 2) {
        edge(state, calls[i], calls[i + 1]);
      }
      if (automaton.isEnd(state)) {
        mark(state);
      }
    }
    int[] ruleOf = new int[automaton.states()];
    Arrays.fill(ruleOf, -1);
    for (int rule = 0; rule < automaton.starts.length; rule++) {
      ruleOf[automaton.starts[rule]] = rule;
    }
    while (workSize > 0) {
      int state = work[--workSize];
      spread(state, ruleOf[state]);
    }
    return live;
  }

  private void spread(int state, int startedRule) {
    for (int edge = firstBack[state]; edge >= 0; ) {
      int next = edges[3 * edge + 2];
      int rule = edges[3 * edge + 1];
      if (rule < 0 || live.get(automaton.starts[rule])) {
        mark(edges[3 * edge]);
      } else {
        edges[3 * edge + 2] = firstWaiting[rule];
        firstWaiting[rule] = edge;
      }
      edge = next;
    }
    if (startedRule >= 0) {
      for (int edge = firstWaiting[startedRule]; edge >= 0; edge = edges[3 * edge + 2]) {
        mark(edges[3 * edge]);
      }
    }
  }

  private void mark(int state) {
    if (!live.get(state)) {
      live.set(state);
      work = workSize == work.length ? Arrays.copyOf(work, 2 * workSize) : work;
      work[workSize++] = state;
    }
  }

  private void edge(int from, int rule, int to) {
    edges = 3 * edgeCount == edges.length ? Arrays.copyOf(edges, 2 * edges.length) : edges;
    edges[3 * edgeCount] = from;
    edges[3 * edgeCount + 1] = rule;
    edges[3 * edgeCount + 2] = firstBack[to];
    firstBack[to] = edgeCount++;
  }
}
