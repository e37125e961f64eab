package dev.millrace.engine.grammar;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.internal.grammar.GbnfParser;
import dev.millrace.engine.internal.grammar.GrammarAnalysis;
import dev.millrace.engine.internal.grammar.JsonSyntax;
import dev.millrace.engine.internal.grammar.RuleExpression;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A context-free grammar over Unicode text, checked: every rule that is named exists, the root can
 * be completed, and no rule is left-recursive. Immutable; {@link Constraint#compile} makes token
 * masks of it.
 */
public final class Grammar {
  public static final int MAX_RULES = 10_000;
  public static final int MAX_SIZE = 200_000;

  private final String root;
  private final Map<String, RuleExpression> rules;
  private final GrammarAnalysis facts;

  public Grammar(String root, Map<String, RuleExpression> rules) {
    this.root = root;
    this.rules = Collections.unmodifiableMap(new LinkedHashMap<>(rules));
    if (rules.size() > MAX_RULES) {
      throw new GrammarException(
          "grammar has %d rules; at most %d".formatted(rules.size(), MAX_RULES));
    }
    facts = new GrammarAnalysis(this);
  }

  /**
   * A grammar in GBNF, the notation of llama.cpp, whose root rule is {@code root}. Beyond it, a
   * line that begins with {@code |} continues the rule before it, and names may hold an underscore.
   * A character may be escaped by its name (n, t, r), as itself (backslash, quote, brackets,
   * hyphen, caret) or by x, u or U and 2, 4 or 8 digits.
   *
   * @throws GrammarException with line and column of what is wrong; also for a rule that is
   *     missing, defined twice, left-recursive (directly or behind what may be empty), and for a
   *     root that can never be completed
   */
  public static Grammar gbnf(String text) {
    return new GbnfParser(text).parse();
  }

  /** Any JSON value, in the spelling that {@link JsonSchema} describes. */
  public static Grammar json() {
    return new Grammar(JsonSyntax.VALUE, JsonSyntax.rules());
  }

  /** Any JSON object, in the spelling that {@link JsonSchema} describes. */
  public static Grammar jsonObject() {
    return new Grammar(JsonSyntax.OBJECT, JsonSyntax.rules());
  }

  public String root() {
    return root;
  }

  /** The rules by name, in the order of their definition. */
  public Map<String, RuleExpression> rules() {
    return rules;
  }

  public GrammarAnalysis facts() {
    return facts;
  }
}
