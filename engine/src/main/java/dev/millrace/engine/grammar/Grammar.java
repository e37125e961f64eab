package dev.millrace.engine.grammar;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.grammar.GbnfParser;
import dev.millrace.engine.internal.grammar.GbnfWriter;
import dev.millrace.engine.internal.grammar.GrammarComposer;
import dev.millrace.engine.internal.grammar.GrammarRules;
import dev.millrace.engine.internal.grammar.JsonSyntax;
import dev.millrace.engine.internal.grammar.RuleExpression;
import dev.millrace.engine.internal.grammar.automaton.PushdownAutomaton;
import java.util.BitSet;
import java.util.List;

/**
 * A checked context-free grammar over Unicode text: every rule that is named exists, the root can
 * be completed, and no rule is left-recursive. Immutable. {@link Constraint#compile} makes token
 * masks from it.
 */
public final class Grammar {
  private final GrammarRules rules;

  Grammar(GrammarRules rules) {
    this.rules = rules;
  }

  /**
   * Parses a grammar in GBNF, the notation of llama.cpp, whose root rule is {@code root}. Beyond
   * it, a line that begins with {@code |} continues the rule before it, and names may hold an
   * underscore. A character may be escaped by its name (n, t, r), as itself (backslash, quote,
   * brackets, hyphen, caret) or by x, u or U and 2, 4 or 8 digits.
   *
   * @throws GrammarException with the line and column of the error; also for a rule that is
   *     missing, defined twice, left-recursive (directly or after parts that may be empty), and for
   *     a root that can never be completed
   */
  public static Grammar gbnf(String text) {
    return new Grammar(new GbnfParser(text, CompileBudget.current()).parse());
  }

  /** Any JSON value, in the spelling that {@link JsonSchema} describes. */
  public static Grammar json() {
    return json(JsonSyntax.VALUE);
  }

  /** Any JSON object, in the spelling that {@link JsonSchema} describes. */
  public static Grammar jsonObject() {
    return json(JsonSyntax.OBJECT);
  }

  private static Grammar json(String root) {
    return new Grammar(new GrammarRules(root, JsonSyntax.rules(), CompileBudget.current()));
  }

  /** Exactly this text. */
  public static Grammar text(String text) {
    return new Grammar(composer().compose(RuleExpression.text(text)));
  }

  /** A text of each part in turn; the empty text if there are none. */
  public static Grammar sequence(List<Grammar> parts) {
    GrammarComposer composer = composer();
    return new Grammar(composer.compose(new RuleExpression.Seq(include(parts, composer))));
  }

  /**
   * A text of any one of the choices.
   *
   * @throws GrammarException if there are none
   */
  public static Grammar anyOf(List<Grammar> choices) {
    GrammarComposer composer = composer();
    return new Grammar(composer.compose(new RuleExpression.Alt(include(choices, composer))));
  }

  private static GrammarComposer composer() {
    return new GrammarComposer(CompileBudget.current());
  }

  private static List<RuleExpression> include(List<Grammar> parts, GrammarComposer composer) {
    return parts.stream().map(part -> composer.include(part.rules)).toList();
  }

  /** A text of this grammar, or the empty text. */
  public Grammar optional() {
    return repeated(0, 1);
  }

  /** Texts of this grammar one after the other, at least {@code min}. */
  public Grammar repeated(int min) {
    return repeated(min, RuleExpression.UNBOUNDED);
  }

  /** Texts of this grammar one after the other, {@code min} to {@code max}. */
  public Grammar repeated(int min, int max) {
    GrammarComposer composer = composer();
    RuleExpression body = composer.include(rules);
    return new Grammar(composer.compose(new RuleExpression.Repeat(body, min, max)));
  }

  /**
   * Checks that it can be compiled within the limits, for a vocabulary that has all bytes.
   *
   * @throws GrammarException if it needs too many states, or too much work or memory
   */
  public void requireWithinLimits() {
    BitSet bytes = new BitSet(256);
    bytes.set(0, 256);
    PushdownAutomaton.of(rules, bytes, CompileBudget.current());
  }

  /**
   * This grammar in GBNF, as llama.cpp reads it, with a rule {@code root}. It describes exactly the
   * texts that the masks of this grammar allow.
   */
  public String toGbnf() {
    return GbnfWriter.write(rules, CompileBudget.current());
  }

  GrammarRules rules() {
    return rules;
  }
}
