package dev.millrace.engine.internal.grammar.automaton;

import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.grammar.GrammarRules;
import dev.millrace.engine.internal.grammar.RuleExpression;
import dev.millrace.engine.internal.grammar.RuleExpression.Alt;
import dev.millrace.engine.internal.grammar.RuleExpression.Chars;
import dev.millrace.engine.internal.grammar.RuleExpression.Item;
import dev.millrace.engine.internal.grammar.RuleExpression.Ref;
import dev.millrace.engine.internal.grammar.RuleExpression.Repeat;
import dev.millrace.engine.internal.grammar.RuleExpression.SeparatedItems;
import dev.millrace.engine.internal.grammar.RuleExpression.Seq;
import dev.millrace.engine.internal.grammar.RuleExpression.Text;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds a graph for each rule that the root needs. Small rules that are not recursive are inlined,
 * so that they cost no call; large bodies of counted repetitions become rules of their own, so that
 * each count costs one state.
 */
final class RuleGraphBuilder {
  private static final int INLINE_WEIGHT = 16;
  private static final int REPEATED_WEIGHT = 4;
  private static final int FEW_COPIES = 3;
  private static final int GRAPH_BYTES = 640;

  /** One rule: its graph runs from state 0 to {@code end}. */
  record Graph(String name, Nfa nfa, int end) {}

  private final GrammarRules grammar;
  private final Map<String, Integer> weights = new HashMap<>();
  private final Map<String, Integer> ids = new HashMap<>();
  private final Map<RuleExpression, Integer> bodies = new HashMap<>();
  private final List<String> names = new ArrayList<>();
  private final List<RuleExpression> exprs = new ArrayList<>();
  private final List<Graph> graphs = new ArrayList<>();
  private final CompileBudget budget;
  private Nfa nfa;

  private RuleGraphBuilder(GrammarRules grammar, CompileBudget budget) {
    this.grammar = grammar;
    this.budget = budget;
    nfa = new Nfa(budget);
  }

  /** The graphs of all called rules, the root first; calls refer to their index in the list. */
  static List<Graph> of(GrammarRules grammar, CompileBudget budget) {
    RuleGraphBuilder builder = new RuleGraphBuilder(grammar, budget);
    builder.rule(grammar.root());
    for (int i = 0; i < builder.exprs.size(); i++) {
      budget.chargeBytes(GRAPH_BYTES);
      builder.nfa = new Nfa(budget);
      int end = builder.build(builder.exprs.get(i), builder.nfa.state());
      builder.graphs.add(new Graph(builder.names.get(i), builder.nfa, end));
    }
    return builder.graphs;
  }

  private int rule(String name) {
    return ids.computeIfAbsent(name, key -> add(key, grammar.rules().get(key)));
  }

  private int add(String name, RuleExpression expr) {
    names.add(name);
    exprs.add(expr);
    return exprs.size() - 1;
  }

  /** Adds the graph of an expression after a state; returns the state at which it is complete. */
  private int build(RuleExpression expr, int from) {
    budget.chargeSteps(1);
    return switch (expr) {
      case Chars chars -> {
        int to = nfa.state();
        nfa.characters(from, chars.set(), to);
        yield to;
      }
      case Text text -> {
        int at = from;
        for (byte b : text.text().getBytes(StandardCharsets.UTF_8)) {
          int to = nfa.state();
          nfa.bytes(at, b & 0xff, b & 0xff, to);
          at = to;
        }
        yield at;
      }
      case Seq seq -> {
        int at = from;
        for (RuleExpression part : seq.parts()) {
          at = build(part, at);
        }
        yield at;
      }
      case Alt alt -> {
        int to = nfa.state();
        for (RuleExpression choice : alt.choices()) {
          nfa.empty(build(choice, after(from)), to);
        }
        yield to;
      }
      case Repeat repeat -> repeat(repeat, from);
      case SeparatedItems list -> list(list, from);
      case Ref ref -> reference(ref, from);
    };
  }

  private int after(int state) {
    int next = nfa.state();
    nfa.empty(state, next);
    return next;
  }

  private int reference(Ref ref, int from) {
    if (inlined(ref.rule())) {
      return build(grammar.rules().get(ref.rule()), from);
    }
    return call(rule(ref.rule()), grammar.analysis().isNullable(ref.rule()), from);
  }

  private int call(int rule, boolean nullable, int from) {
    int to = nfa.state();
    nfa.call(from, rule, to);
    if (nullable) {
      nfa.empty(from, to); // so a called rule always reads at least one byte
    }
    return to;
  }

  private int repeat(Repeat repeat, int from) {
    int copies = repeat.max() == RuleExpression.UNBOUNDED ? repeat.min() + 1 : repeat.max();
    boolean apart =
        copies > FEW_COPIES
            && weight(repeat.body()) > REPEATED_WEIGHT
            && !(repeat.body() instanceof Ref ref && !inlined(ref.rule()));
    Copies body = apart ? called(repeat.body()) : start -> build(repeat.body(), start);
    int at = from;
    for (int i = 0; i < repeat.min(); i++) {
      at = body.add(at);
    }
    if (repeat.max() == RuleExpression.UNBOUNDED) {
      int loop = after(at);
      nfa.empty(body.add(loop), loop);
      return after(loop);
    }
    int to = nfa.state();
    for (int i = repeat.min(); i < repeat.max(); i++) {
      nfa.empty(at, to);
      at = body.add(after(at));
    }
    nfa.empty(at, to);
    return to;
  }

  /** Adds a copy of a body after a state; returns the state at which it is complete. */
  private interface Copies {
    int add(int from);
  }

  private Copies called(RuleExpression body) {
    budget.chargeSteps(weight(body)); // of the hash
    int rule = bodies.computeIfAbsent(body, key -> add(names.get(graphs.size()), key));
    boolean nullable = grammar.analysis().isNullable(body, budget);
    return from -> call(rule, nullable, from);
  }

  /**
   * Two chains of states: one before the first item, and one where the next item needs the
   * separator.
   */
  private int list(SeparatedItems list, int from) {
    int none = from;
    int some = nfa.state();
    for (Item item : list.items()) {
      int next = nfa.state();
      if (none >= 0) {
        nfa.empty(build(item.expr(), after(none)), next);
      }
      nfa.empty(build(item.expr(), build(list.separator(), after(some))), next);
      if (item.optional()) {
        nfa.empty(some, next);
        none = none < 0 ? none : after(none);
      } else {
        none = -1;
      }
      some = next;
    }
    if (none >= 0) {
      nfa.empty(none, some);
    }
    return some;
  }

  private boolean inlined(String rule) {
    return !grammar.analysis().isRecursive(rule) && weight(rule) <= INLINE_WEIGHT;
  }

  private int weight(String rule) {
    Integer known = weights.get(rule);
    if (known == null) {
      known = weight(grammar.rules().get(rule));
      weights.put(rule, known);
    }
    return known;
  }

  /** The approximate number of states of an expression, with a maximum. */
  private int weight(RuleExpression expr) {
    budget.chargeSteps(1);
    long weight =
        switch (expr) {
          case Chars chars ->
              chars.set().isEmpty() || chars.set().bounds()[chars.set().bounds().length - 1] < 128
                  ? 1
                  : 4;
          case Text text -> text.text().length();
          case Seq seq -> sum(seq.parts());
          case Alt alt -> sum(alt.choices());
          case Repeat repeat ->
              (long) weight(repeat.body()) * Math.max(repeat.min(), Math.max(repeat.max(), 1));
          case SeparatedItems list -> 2L * sum(list.items().stream().map(Item::expr).toList());
          case Ref ref ->
              grammar.analysis().isRecursive(ref.rule()) || weight(ref.rule()) > INLINE_WEIGHT
                  ? 1
                  : weight(ref.rule());
        };
    return (int) Math.min(weight, 1 << 20);
  }

  private long sum(List<RuleExpression> parts) {
    long sum = 0;
    for (RuleExpression part : parts) {
      sum += weight(part);
    }
    return Math.min(sum, 1 << 20);
  }
}
