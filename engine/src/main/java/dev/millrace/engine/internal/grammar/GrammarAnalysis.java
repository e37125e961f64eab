package dev.millrace.engine.internal.grammar;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.error.GrammarLimitException;
import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.grammar.RuleExpression.Alt;
import dev.millrace.engine.internal.grammar.RuleExpression.Chars;
import dev.millrace.engine.internal.grammar.RuleExpression.Item;
import dev.millrace.engine.internal.grammar.RuleExpression.Ref;
import dev.millrace.engine.internal.grammar.RuleExpression.Repeat;
import dev.millrace.engine.internal.grammar.RuleExpression.SeparatedItems;
import dev.millrace.engine.internal.grammar.RuleExpression.Seq;
import dev.millrace.engine.internal.grammar.RuleExpression.Text;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Derives the properties of a grammar's rules, and rejects grammars that are not valid. */
public final class GrammarAnalysis {
  private final Map<String, RuleExpression> rules;
  private final Map<String, Set<String>> users = new HashMap<>(); // rule -> rules that name it
  private final Set<String> nullable;
  private final Set<String> productive;
  private final Set<String> recursive = new HashSet<>();
  private int size;

  GrammarAnalysis(GrammarRules grammar, CompileBudget budget) {
    rules = grammar.rules();
    if (!rules.containsKey(grammar.root())) {
      throw new GrammarException(
          "grammar has no rule named " + grammar.root() + ", the start of the grammar");
    }
    Map<String, Set<String>> uses = new HashMap<>();
    rules.forEach((name, expr) -> uses.put(name, uses(name, expr, budget)));
    nullable = fixpoint(budget, (expr, known) -> isNullable(expr, known, budget));
    productive = fixpoint(budget, (expr, known) -> isProductive(expr, known, budget));
    if (!productive.contains(grammar.root())) {
      throw new GrammarException(
          "rule "
              + grammar.root()
              + " can never be completed: every way through it calls itself again or needs a"
              + " character of an empty set");
    }
    Map<String, Set<String>> left = new HashMap<>();
    rules.forEach((name, expr) -> left.put(name, collect(into -> leftmost(expr, into, budget))));
    List<String> cycle = CycleFinder.firstCycle(left);
    if (!cycle.isEmpty()) {
      throw new GrammarException(
          "left recursion is not supported: %s; put a character before the call, or use * or +"
              .formatted(String.join(" -> ", cycle)));
    }
    recursive.addAll(CycleFinder.nodesOnCycles(uses));
  }

  public boolean isNullable(String rule) {
    return nullable.contains(rule);
  }

  /** Whether the rule can call itself, directly or through others. */
  public boolean isRecursive(String rule) {
    return recursive.contains(rule);
  }

  /** @param budget is charged for each part that is visited */
  public boolean isNullable(RuleExpression expr, CompileBudget budget) {
    return isNullable(expr, nullable::contains, budget);
  }

  /**
   * Whether there is a text that the expression matches.
   *
   * @param budget is charged for each part that is visited
   */
  public boolean isProductive(RuleExpression expr, CompileBudget budget) {
    return isProductive(expr, productive::contains, budget);
  }

  private Set<String> uses(String name, RuleExpression expr, CompileBudget budget) {
    Set<String> used = collect(into -> visit(expr, into, name, 0, budget));
    used.forEach(rule -> users.computeIfAbsent(rule, key -> new LinkedHashSet<>()).add(name));
    return used;
  }

  private static Set<String> collect(Consumer<Set<String>> collector) {
    Set<String> names = new LinkedHashSet<>();
    collector.accept(names);
    return names;
  }

  private void visit(
      RuleExpression expr, Set<String> used, String name, int depth, CompileBudget budget) {
    budget.chargeSteps(1);
    if (++size > GrammarRules.MAX_SIZE || depth > 1000) {
      throw new GrammarLimitException(
          "grammar is too large at rule %s: at most %d parts, nested at most 1000 deep"
              .formatted(name, GrammarRules.MAX_SIZE));
    }
    switch (expr) {
      case Chars c -> {}
      case Text t -> {
        if ((size += t.text().length()) > GrammarRules.MAX_SIZE) {
          visit(expr, used, name, 1001, budget);
        }
      }
      case Seq seq -> seq.parts().forEach(part -> visit(part, used, name, depth + 1, budget));
      case Alt alt -> alt.choices().forEach(choice -> visit(choice, used, name, depth + 1, budget));
      case Repeat repeat -> visit(repeat.body(), used, name, depth + 1, budget);
      case SeparatedItems list -> {
        visit(list.separator(), used, name, depth + 1, budget);
        list.items().forEach(item -> visit(item.expr(), used, name, depth + 1, budget));
      }
      case Ref ref -> {
        if (!rules.containsKey(ref.rule())) {
          throw new GrammarException(
              "rule %s names rule %s, which is not defined".formatted(name, ref.rule()));
        }
        used.add(ref.rule());
      }
    }
  }

  private interface Property {
    boolean holds(RuleExpression expr, Predicate<String> known);
  }

  /** The rules that have a property, which spreads from a rule to the rules that name it. */
  private Set<String> fixpoint(CompileBudget budget, Property property) {
    Set<String> known = new HashSet<>();
    ArrayDeque<String> work = new ArrayDeque<>(rules.keySet());
    while (!work.isEmpty()) {
      String name = work.remove();
      budget.chargeSteps(1);
      if (!known.contains(name) && property.holds(rules.get(name), known::contains)) {
        known.add(name);
        work.addAll(users.getOrDefault(name, Set.of()));
      }
    }
    return known;
  }

  private static boolean isNullable(
      RuleExpression expr, Predicate<String> known, CompileBudget budget) {
    budget.chargeSteps(1);
    return switch (expr) {
      case Chars c -> false;
      case Text t -> t.text().isEmpty();
      case Seq seq -> seq.parts().stream().allMatch(part -> isNullable(part, known, budget));
      case Alt alt -> alt.choices().stream().anyMatch(choice -> isNullable(choice, known, budget));
      case Repeat repeat -> repeat.min() == 0 || isNullable(repeat.body(), known, budget);
      case SeparatedItems list -> list.items().stream().allMatch(Item::optional);
      case Ref ref -> known.test(ref.rule());
    };
  }

  private static boolean isProductive(
      RuleExpression expr, Predicate<String> known, CompileBudget budget) {
    budget.chargeSteps(1);
    return switch (expr) {
      case Chars c -> !c.set().isEmpty();
      case Text t -> true;
      case Seq seq -> seq.parts().stream().allMatch(part -> isProductive(part, known, budget));
      case Alt alt ->
          alt.choices().stream().anyMatch(choice -> isProductive(choice, known, budget));
      case Repeat repeat -> repeat.min() == 0 || isProductive(repeat.body(), known, budget);
      case SeparatedItems list ->
          list.items().stream()
              .allMatch(item -> item.optional() || isProductive(item.expr(), known, budget));
      case Ref ref -> known.test(ref.rule());
    };
  }

  /** Collects the rules that can be called before a character is read. */
  private void leftmost(RuleExpression expr, Set<String> into, CompileBudget budget) {
    budget.chargeSteps(1);
    switch (expr) {
      case Chars c -> {}
      case Text t -> {}
      case Seq seq -> {
        for (RuleExpression part : seq.parts()) {
          leftmost(part, into, budget);
          if (!isNullable(part, budget)) {
            break;
          }
        }
      }
      case Alt alt -> alt.choices().forEach(choice -> leftmost(choice, into, budget));
      case Repeat repeat -> {
        if (repeat.max() != 0) {
          leftmost(repeat.body(), into, budget);
        }
      }
      case SeparatedItems list -> {
        for (Item item : list.items()) {
          leftmost(item.expr(), into, budget);
          if (!item.optional()) {
            break;
          }
        }
      }
      case Ref ref -> into.add(ref.rule());
    }
  }
}
