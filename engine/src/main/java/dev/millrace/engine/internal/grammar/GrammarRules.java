package dev.millrace.engine.internal.grammar;

import dev.millrace.engine.error.GrammarLimitException;
import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.budget.CompileLimits;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The checked rules of a grammar: every rule that is named exists, the root can be completed, and
 * no rule is left-recursive. Immutable.
 */
public final class GrammarRules {
  public static final int MAX_RULES = 10_000;

  /** The most parts that all rules of a grammar may have together. */
  public static final int MAX_SIZE = 200_000;

  /** The highest count of a repetition. */
  public static final int MAX_COUNT = CompileLimits.MAX_STATES;

  private final String root;
  private final Map<String, RuleExpression> rules;
  private final GrammarAnalysis analysis;

  public GrammarRules(String root, Map<String, RuleExpression> rules, CompileBudget budget) {
    this.root = root;
    this.rules = Collections.unmodifiableMap(new LinkedHashMap<>(rules));
    if (rules.size() > MAX_RULES) {
      throw new GrammarLimitException(
          "grammar has %d rules; at most %d".formatted(rules.size(), MAX_RULES));
    }
    analysis = new GrammarAnalysis(this, budget);
  }

  public String root() {
    return root;
  }

  /** The rules by name, in the order of their definition. */
  public Map<String, RuleExpression> rules() {
    return rules;
  }

  public GrammarAnalysis analysis() {
    return analysis;
  }
}
