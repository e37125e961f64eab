package dev.millrace.engine.internal.grammar.schema;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.grammar.CodePointSet;
import dev.millrace.engine.internal.grammar.GrammarRules;
import dev.millrace.engine.internal.grammar.JsonSyntax;
import dev.millrace.engine.internal.grammar.RuleExpression;
import dev.millrace.engine.internal.grammar.RuleExpression.Alt;
import dev.millrace.engine.internal.grammar.RuleExpression.Repeat;
import dev.millrace.engine.internal.grammar.RuleExpression.Seq;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Parses the regular expressions of JSON schemas (ECMA-262 with its u flag) into expressions over
 * JSON characters. Supported: literals, {@code . [] [^] \d \w \s \D \W \S}, escapes, groups
 * (capturing or not), {@code |}, {@code * + ? {m} {m,} {m,n}} also lazy, and {@code ^ $} first and
 * last in an alternative of the whole. Everything else is rejected with its name.
 */
final class SchemaRegexParser {
  private static final int MAX_DEPTH = 100;

  /** About what a character takes, with its escapes; more than half of it only for a while. */
  private static final int ATOM_BYTES = 2048;

  /** About what a part of a character class takes. */
  private static final int RANGE_BYTES = 192;

  private static final CodePointSet DIGITS = CodePointSet.range('0', '9');
  private static final CodePointSet WORD =
      CodePointSet.ranges('0', '9', 'A', 'Z', '_', '_', 'a', 'z');
  private static final CodePointSet SPACE =
      CodePointSet.ranges(
          9, 13, ' ', ' ', 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f,
          0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff);
  private static final CodePointSet LINE_ENDS =
      CodePointSet.ranges('\n', '\n', '\r', '\r', 0x2028, 0x2029);

  private final String place;
  private final String source;
  private final int[] pattern;
  private final UnaryOperator<RuleExpression> rule;
  private final CompileBudget budget;
  private int at;

  private SchemaRegexParser(
      String place, String source, UnaryOperator<RuleExpression> rule, CompileBudget budget) {
    this.place = place;
    this.source = source;
    this.rule = rule;
    this.budget = budget;
    budget.chargeBytes(4L * source.length());
    pattern = source.codePoints().toArray();
  }

  /**
   * The characters of the strings in which the pattern is found, without the quotes around them.
   *
   * @param rule makes a rule of an expression; a part that may start anywhere in a string becomes a
   *     rule, because its possible starts would multiply the states of one graph
   */
  static RuleExpression parse(
      String place, String source, UnaryOperator<RuleExpression> rule, CompileBudget budget) {
    return new SchemaRegexParser(place, source, rule, budget).whole();
  }

  private RuleExpression whole() {
    List<RuleExpression> choices = new ArrayList<>();
    budget.chargeBytes(2L * ATOM_BYTES);
    RuleExpression any = JsonSyntax.many(JsonSyntax.spell(CodePointSet.ALL));
    do {
      List<RuleExpression> parts = new ArrayList<>();
      boolean anchored = take('^');
      parts.add(anchored ? RuleExpression.EMPTY : any);
      RuleExpression inner = sequence(0);
      parts.add(anchored ? inner : rule.apply(inner));
      parts.add(take('$') ? RuleExpression.EMPTY : any);
      choices.add(new Seq(parts));
    } while (take('|'));
    if (at < pattern.length) {
      throw refused(
          peek() == ')'
              ? "')' without a group"
              : "'" + Character.toString(peek()) + "' inside the pattern");
    }
    return new Alt(choices);
  }

  private RuleExpression alternatives(int depth) {
    if (depth > MAX_DEPTH) {
      throw refused("groups nested more than %d deep".formatted(MAX_DEPTH));
    }
    List<RuleExpression> choices = new ArrayList<>();
    do {
      choices.add(sequence(depth));
    } while (take('|'));
    return new Alt(choices);
  }

  private RuleExpression sequence(int depth) {
    List<RuleExpression> parts = new ArrayList<>();
    while (true) {
      RuleExpression atom = atom(depth);
      if (atom == null) {
        return new Seq(parts);
      }
      parts.add(quantified(atom));
    }
  }

  private @Nullable RuleExpression atom(int depth) {
    int c = peek();
    switch (c) {
      case -1, '|', ')' -> {
        return null;
      }
      case '^' -> throw refused("'^' elsewhere than first");
      case '$' -> {
        if (depth == 0 && (at + 1 == pattern.length || pattern[at + 1] == '|')) {
          return null;
        }
        throw refused("'$' elsewhere than last");
      }
      case '(' -> {
        return group(depth);
      }
      case '*', '+', '?', '{', '}', ']' ->
          throw refused("'" + (char) c + "' without something to apply to");
      default -> {
        budget.chargeBytes(ATOM_BYTES);
        return JsonSyntax.spell(c == '[' ? characterClass() : c == '.' ? dot() : single());
      }
    }
  }

  private CodePointSet dot() {
    at++;
    return LINE_ENDS.not();
  }

  private CodePointSet single() {
    int c = pattern[at++];
    return c == '\\' ? escape() : CodePointSet.of(c);
  }

  private RuleExpression group(int depth) {
    at++;
    if (take('?')) {
      if (take('<') && peek() != '=' && peek() != '!') {
        while (at < pattern.length && peek() != '>') {
          at++;
        }
        expect('>');
      } else if (!take(':')) {
        throw refused(
            "a group '(?"
                + (at < pattern.length ? Character.toString(peek()) : "")
                + "...': look-around and flags");
      }
    }
    RuleExpression inner = alternatives(depth + 1);
    expect(')');
    return inner;
  }

  private RuleExpression quantified(RuleExpression atom) {
    int min;
    int max;
    switch (peek()) {
      case '*', '+', '?' -> {
        min = peek() == '+' ? 1 : 0;
        max = peek() == '?' ? 1 : RuleExpression.UNBOUNDED;
        at++;
      }
      case '{' -> {
        at++;
        min = number();
        max = !take(',') ? min : peek() == '}' ? RuleExpression.UNBOUNDED : number();
        expect('}');
        if (max != RuleExpression.UNBOUNDED && max < min) {
          throw refused(
              "repetition {%d,%d}, whose maximum is less than its minimum".formatted(min, max));
        }
      }
      default -> {
        return atom;
      }
    }
    take('?'); // lazy: the same texts
    if (peek() == '*' || peek() == '+' || peek() == '?' || peek() == '{') {
      throw refused("a repetition of a repetition");
    }
    return new Repeat(atom, min, max);
  }

  private int number() {
    int start = at;
    int value = 0;
    while (peek() >= '0' && peek() <= '9') {
      value = value * 10 + pattern[at++] - '0';
      if (value > GrammarRules.MAX_COUNT) {
        throw refused("a repetition of more than %d".formatted(GrammarRules.MAX_COUNT));
      }
    }
    if (at == start) {
      throw refused("'{' without a number");
    }
    return value;
  }

  private CodePointSet characterClass() {
    at++;
    boolean negated = take('^');
    List<CodePointSet> parts = new ArrayList<>();
    while (peek() != ']') {
      budget.chargeBytes(RANGE_BYTES);
      if (at >= pattern.length) {
        throw refused("a character class that is not closed");
      }
      CodePointSet first = single();
      if (peek() == '-' && at + 1 < pattern.length && pattern[at + 1] != ']') {
        at++;
        CodePointSet last = single();
        if (first.bounds().length != 2
            || last.bounds().length != 2
            || last.bounds()[0] < first.bounds()[0]) {
          throw refused("a range in a class that is not from one character up to another");
        }
        first = CodePointSet.range(first.bounds()[0], last.bounds()[0]);
      }
      parts.add(first);
    }
    at++;
    CodePointSet set = CodePointSet.union(parts);
    return negated ? set.not() : set;
  }

  private CodePointSet escape() {
    if (at >= pattern.length) {
      throw refused("'\\' at the end");
    }
    int c = pattern[at++];
    return switch (c) {
      case 'd' -> DIGITS;
      case 'D' -> DIGITS.not();
      case 'w' -> WORD;
      case 'W' -> WORD.not();
      case 's' -> SPACE;
      case 'S' -> SPACE.not();
      case 'n' -> CodePointSet.of('\n');
      case 'r' -> CodePointSet.of('\r');
      case 't' -> CodePointSet.of('\t');
      case 'f' -> CodePointSet.of('\f');
      case 'v' -> CodePointSet.of(0x0b);
      case 'x' -> CodePointSet.of(hex(2));
      case 'u' -> CodePointSet.of(unicode());
      default -> {
        if (c < 128 && Character.isLetterOrDigit(c)) {
          throw refused("'\\" + (char) c + "'");
        }
        yield CodePointSet.of(c);
      }
    };
  }

  private int unicode() {
    if (!take('{')) {
      return hex(4);
    }
    int digits = 0;
    while (at + digits < pattern.length && pattern[at + digits] != '}') {
      digits++;
    }
    int value = hex(Math.min(digits, 7));
    expect('}');
    return value;
  }

  private int hex(int digits) {
    int value = 0;
    for (int i = 0; i < digits; i++) {
      int digit = peek() >= 0 && peek() < 128 ? Character.digit(peek(), 16) : -1;
      if (digit < 0) {
        throw refused("an escape with too few hexadecimal digits");
      }
      value = value * 16 + digit;
      at++;
    }
    if (digits == 0 || value > Character.MAX_CODE_POINT || value >= 0xd800 && value <= 0xdfff) {
      throw refused("an escape that is no character");
    }
    return value;
  }

  private int peek() {
    return at < pattern.length ? pattern[at] : -1;
  }

  private boolean take(int c) {
    boolean there = peek() == c;
    at += there ? 1 : 0;
    return there;
  }

  private void expect(int c) {
    if (!take(c)) {
      throw refused("a missing '" + (char) c + "'");
    }
  }

  private GrammarException refused(String what) {
    String shown = source.length() > 200 ? source.substring(0, 200) + "…" : source;
    return new GrammarException(
        "%s: pattern %s is not supported: %s at character %d"
            .formatted(place, shown, what, Math.min(at, pattern.length) + 1));
  }
}
