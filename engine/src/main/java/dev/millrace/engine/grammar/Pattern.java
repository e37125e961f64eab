package dev.millrace.engine.grammar;

import dev.millrace.engine.grammar.Expr.Alt;
import dev.millrace.engine.grammar.Expr.Repeat;
import dev.millrace.engine.grammar.Expr.Seq;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads the regular expressions of JSON schemas (ECMA-262 with its u flag) as expressions over
 * spelled JSON characters. Known: literals, {@code . [] [^] \d \w \s \D \W \S}, escapes, groups
 * (capturing or not), {@code |}, {@code * + ? {m} {m,} {m,n}} also lazy, and {@code ^ $} first and
 * last in an alternative of the whole. All else is refused by name.
 */
final class Pattern {
  private static final int MAX_DEPTH = 100;
  private static final CodePoints DIGITS = CodePoints.range('0', '9');
  private static final CodePoints WORD = CodePoints.ranges('0', '9', 'A', 'Z', '_', '_', 'a', 'z');
  private static final CodePoints SPACE =
      CodePoints.ranges(
          9, 13, ' ', ' ', 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f,
          0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff);
  private static final CodePoints LINE_ENDS =
      CodePoints.ranges('\n', '\n', '\r', '\r', 0x2028, 0x2029);

  private final String place;
  private final String source;
  private final int[] pattern;
  private int at;

  private final UnaryOperator<Expr> rule;

  private Pattern(String place, String source, UnaryOperator<Expr> rule) {
    this.place = place;
    this.source = source;
    this.rule = rule;
    pattern = source.codePoints().toArray();
  }

  /**
   * The characters of the strings in which the pattern is found, without the quotes around them.
   *
   * @param rule makes a rule of an expression; what may begin anywhere in a string becomes one,
   *     because its beginnings would multiply its states if they were all followed in one graph
   */
  static Expr parse(String place, String source, UnaryOperator<Expr> rule) {
    return new Pattern(place, source, rule).whole();
  }

  private Expr whole() {
    List<Expr> choices = new ArrayList<>();
    Expr any = JsonText.many(JsonText.spell(CodePoints.ALL));
    do {
      List<Expr> parts = new ArrayList<>();
      boolean anchored = take('^');
      parts.add(anchored ? Expr.EMPTY : any);
      Expr inner = sequence(0);
      parts.add(anchored ? inner : rule.apply(inner));
      parts.add(take('$') ? Expr.EMPTY : any);
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

  private Expr alternatives(int depth) {
    if (depth > MAX_DEPTH) {
      throw refused("groups nested more than %d deep".formatted(MAX_DEPTH));
    }
    List<Expr> choices = new ArrayList<>();
    do {
      choices.add(sequence(depth));
    } while (take('|'));
    return new Alt(choices);
  }

  private Expr sequence(int depth) {
    List<Expr> parts = new ArrayList<>();
    while (true) {
      Expr atom = atom(depth);
      if (atom == null) {
        return new Seq(parts);
      }
      parts.add(quantified(atom));
    }
  }

  private @Nullable Expr atom(int depth) {
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
        return JsonText.spell(c == '[' ? characterClass() : c == '.' ? dot() : single());
      }
    }
  }

  private CodePoints dot() {
    at++;
    return LINE_ENDS.not();
  }

  private CodePoints single() {
    int c = pattern[at++];
    return c == '\\' ? escape() : CodePoints.of(c);
  }

  private Expr group(int depth) {
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
    Expr inner = alternatives(depth + 1);
    expect(')');
    return inner;
  }

  private Expr quantified(Expr atom) {
    int min;
    int max;
    switch (peek()) {
      case '*', '+', '?' -> {
        min = peek() == '+' ? 1 : 0;
        max = peek() == '?' ? 1 : Expr.UNBOUNDED;
        at++;
      }
      case '{' -> {
        at++;
        min = number();
        max = !take(',') ? min : peek() == '}' ? Expr.UNBOUNDED : number();
        expect('}');
        if (max != Expr.UNBOUNDED && max < min) {
          throw refused("repetition {%d,%d}, which ends below its beginning".formatted(min, max));
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
      if (value > Automaton.MAX_STATES) {
        throw refused("a repetition of more than %d".formatted(Automaton.MAX_STATES));
      }
    }
    if (at == start) {
      throw refused("'{' without a number");
    }
    return value;
  }

  private CodePoints characterClass() {
    at++;
    boolean negated = take('^');
    CodePoints set = CodePoints.NONE;
    while (peek() != ']') {
      if (at >= pattern.length) {
        throw refused("a character class that is not closed");
      }
      CodePoints first = single();
      if (peek() == '-' && at + 1 < pattern.length && pattern[at + 1] != ']') {
        at++;
        CodePoints last = single();
        if (first.bounds().length != 2
            || last.bounds().length != 2
            || last.bounds()[0] < first.bounds()[0]) {
          throw refused("a range in a class that is not from one character up to another");
        }
        first = CodePoints.range(first.bounds()[0], last.bounds()[0]);
      }
      set = set.or(first);
    }
    at++;
    return negated ? set.not() : set;
  }

  private CodePoints escape() {
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
      case 'n' -> CodePoints.of('\n');
      case 'r' -> CodePoints.of('\r');
      case 't' -> CodePoints.of('\t');
      case 'f' -> CodePoints.of('\f');
      case 'v' -> CodePoints.of(0x0b);
      case 'x' -> CodePoints.of(hex(2));
      case 'u' -> CodePoints.of(unicode());
      default -> {
        if (c < 128 && Character.isLetterOrDigit(c)) {
          throw refused("'\\" + (char) c + "'");
        }
        yield CodePoints.of(c);
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
    return new GrammarException(
        "%s: pattern %s is not supported: %s at character %d"
            .formatted(place, source, what, Math.min(at, pattern.length) + 1));
  }
}
