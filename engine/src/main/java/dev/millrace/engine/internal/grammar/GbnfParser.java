package dev.millrace.engine.internal.grammar;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.grammar.RuleExpression.Alt;
import dev.millrace.engine.internal.grammar.RuleExpression.Chars;
import dev.millrace.engine.internal.grammar.RuleExpression.Ref;
import dev.millrace.engine.internal.grammar.RuleExpression.Repeat;
import dev.millrace.engine.internal.grammar.RuleExpression.Seq;
import dev.millrace.engine.internal.grammar.RuleExpression.Text;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Parses GBNF by recursive descent over code points. */
public final class GbnfParser {
  private static final int MAX_DEPTH = 200;
  private static final int MAX_TEXT = 1 << 20;

  /** About what a range of a class takes until the set of the class is made. */
  private static final int RANGE_BYTES = 96;

  private final int[] source;
  private final Map<String, RuleExpression> rules = new LinkedHashMap<>();
  private final Map<String, Integer> definedAt = new HashMap<>();
  private final Map<String, Integer> namedAt = new LinkedHashMap<>();
  private final CompileBudget budget;
  private int at;

  public GbnfParser(String text, CompileBudget budget) {
    this.budget = budget;
    if (text.length() > MAX_TEXT) {
      throw new GrammarException(
          "grammar: %d characters; at most %d".formatted(text.length(), MAX_TEXT));
    }
    budget.chargeBytes(4L * text.length());
    source = text.codePoints().toArray();
  }

  public GrammarRules parse() {
    skip(true);
    while (at < source.length) {
      rule();
      skip(true);
    }
    namedAt.forEach(
        (name, position) -> {
          if (!rules.containsKey(name)) {
            throw error(position, "rule %s is not defined".formatted(name));
          }
        });
    return new GrammarRules("root", rules, budget);
  }

  private void rule() {
    int start = at;
    String name = name();
    skip(false);
    if (peek() != ':' || peek(1) != ':' || peek(2) != '=') {
      throw error(at, "expected ::= after the name of rule %s".formatted(name));
    }
    at += 3;
    Integer before = definedAt.putIfAbsent(name, start);
    if (before != null) {
      throw error(start, "rule %s is defined already, at %s".formatted(name, place(before)));
    }
    skip(true);
    rules.put(name, alternatives(0));
    if (at < source.length && peek() != '\n' && peek() != '\r') {
      throw error(at, "expected the end of rule %s, found %s".formatted(name, describeNext()));
    }
  }

  private String name() {
    int start = at;
    while (isName(peek())) {
      at++;
    }
    if (at == start) {
      throw error(at, "expected the name of a rule, found " + describeNext());
    }
    return new String(source, start, at - start);
  }

  private static boolean isName(int c) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c >= '0' && c <= '9'
        || c == '-'
        || c == '_';
  }

  private RuleExpression alternatives(int depth) {
    if (depth > MAX_DEPTH) {
      throw error(at, "groups are nested more than %d deep".formatted(MAX_DEPTH));
    }
    List<RuleExpression> choices = new ArrayList<>();
    choices.add(sequence(depth));
    while (atBar(depth)) {
      at++;
      skip(true);
      choices.add(sequence(depth));
    }
    return choices.size() == 1 ? choices.getFirst() : new Alt(choices);
  }

  /** Whether an alternative follows, on this line or at the start of a later one. */
  private boolean atBar(int depth) {
    if (peek() == '|') {
      return true;
    }
    int back = at;
    skip(true);
    if (peek() == '|') {
      return true;
    }
    if (depth == 0) {
      at = back;
    }
    return false;
  }

  private RuleExpression sequence(int depth) {
    List<RuleExpression> parts = new ArrayList<>();
    while (true) {
      int start = at;
      RuleExpression part =
          switch (peek()) {
            case '"' -> literal();
            case '[' -> characterClass();
            case '(' -> group(depth);
            case '.' -> any();
            case '<', '!' ->
                throw error(at, "tokens (<...>) are not supported in grammars; write their text");
            default -> isName(peek()) ? reference() : null;
          };
      if (part == null) {
        return parts.size() == 1 ? parts.getFirst() : new Seq(parts);
      }
      budget.chargeBytes(RuleExpression.BYTES + 4L * (at - start));
      skip(depth > 0);
      while (peek() == '*' || peek() == '+' || peek() == '?' || peek() == '{') {
        budget.chargeBytes(RuleExpression.BYTES);
        part = quantified(part, start);
        skip(depth > 0);
      }
      parts.add(part);
    }
  }

  private RuleExpression any() {
    at++;
    return new Chars(CodePointSet.ALL);
  }

  private RuleExpression reference() {
    int start = at;
    String name = name();
    namedAt.putIfAbsent(name, start);
    return new Ref(name);
  }

  private RuleExpression group(int depth) {
    int start = at++;
    skip(true);
    RuleExpression inner = alternatives(depth + 1);
    skip(true);
    if (peek() != ')') {
      throw error(
          at,
          "expected ) for the group opened at %s, found %s"
              .formatted(place(start), describeNext()));
    }
    at++;
    return inner;
  }

  private RuleExpression literal() {
    int start = at++;
    StringBuilder text = new StringBuilder();
    while (peek() != '"') {
      if (at >= source.length || peek() == '\n') {
        throw error(start, "the literal is not closed on its line");
      }
      text.appendCodePoint(character());
    }
    at++;
    return new Text(text.toString());
  }

  private RuleExpression characterClass() {
    int start = at++;
    boolean negated = peek() == '^';
    at += negated ? 1 : 0;
    List<Integer> pairs = new ArrayList<>();
    while (peek() != ']') {
      int from = at;
      if (at >= source.length) {
        throw error(start, "the character class is not closed");
      }
      int first = character();
      int last = first;
      if (peek() == '-' && peek(1) != ']' && peek(1) >= 0) {
        at++;
        last = character();
      }
      if (last < first) {
        throw error(from, "the range ends before its start");
      }
      budget.chargeBytes(RANGE_BYTES);
      pairs.add(first);
      pairs.add(last);
    }
    at++;
    CodePointSet set = CodePointSet.ranges(pairs.stream().mapToInt(Integer::intValue).toArray());
    return new Chars(negated ? set.not() : set);
  }

  private int character() {
    int start = at;
    int c = source[at++];
    if (c >= 0xd800 && c <= 0xdfff) {
      throw error(start, "half of a surrogate pair is not a character");
    }
    if (c != '\\') {
      return c;
    }
    int escape = peek();
    at++;
    return switch (escape) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case '\\', '"', '[', ']', '-', '^' -> escape;
      case 'x' -> hex(2, start);
      case 'u' -> hex(4, start);
      case 'U' -> hex(8, start);
      default ->
          throw error(
              start,
              "unknown escape; known are \\n"
                  + " \\t \\r"
                  + " \\\\ \\\" \\[ \\] \\- \\^ \\xHH \\uHHHH \\UHHHHHHHH");
    };
  }

  private int hex(int digits, int start) {
    long value = 0;
    for (int i = 0; i < digits; i++) {
      int digit = peek() < 128 ? Character.digit(peek(), 16) : -1;
      if (digit < 0) {
        throw error(start, "the escape needs %d hexadecimal digits".formatted(digits));
      }
      value = value * 16 + digit;
      at++;
    }
    if (value > Character.MAX_CODE_POINT || value >= 0xd800 && value <= 0xdfff) {
      throw error(start, "U+%X is not a character".formatted(value));
    }
    return (int) value;
  }

  private RuleExpression quantified(RuleExpression body, int start) {
    int c = source[at];
    if (c != '{') {
      at++;
      return new Repeat(body, c == '+' ? 1 : 0, c == '?' ? 1 : RuleExpression.UNBOUNDED);
    }
    at++;
    skip(false);
    int min = number();
    int max = min;
    skip(false);
    if (peek() == ',') {
      at++;
      skip(false);
      max = peek() == '}' ? RuleExpression.UNBOUNDED : number();
      skip(false);
    }
    if (peek() != '}') {
      throw error(at, "expected } to close the repetition, found " + describeNext());
    }
    at++;
    if (max != RuleExpression.UNBOUNDED && max < min) {
      throw error(
          start, "repetition {%d,%d}: the maximum is less than the minimum".formatted(min, max));
    }
    return new Repeat(body, min, max);
  }

  private int number() {
    int start = at;
    int value = 0;
    while (peek() >= '0' && peek() <= '9') {
      value = value * 10 + source[at++] - '0';
      if (value > GrammarRules.MAX_COUNT) {
        throw error(
            start, "a repetition may count to %d at most".formatted(GrammarRules.MAX_COUNT));
      }
    }
    if (at == start) {
      throw error(at, "expected a number, found " + describeNext());
    }
    return value;
  }

  /** Skips blanks and comments, and line ends that do not end a rule. */
  private void skip(boolean lines) {
    while (true) {
      int c = peek();
      if (c == '#') {
        while (at < source.length && peek() != '\n' && peek() != '\r') {
          at++;
        }
      } else if (c == ' ' || c == '\t' || lines && (c == '\n' || c == '\r')) {
        at++;
      } else {
        return;
      }
    }
  }

  private int peek() {
    return peek(0);
  }

  private int peek(int ahead) {
    return at + ahead < source.length ? source[at + ahead] : -1;
  }

  private String describeNext() {
    return at >= source.length
        ? "the end of the text"
        : peek() == '\n' ? "the end of the line" : "'" + Character.toString(peek()) + "'";
  }

  private String place(int position) {
    int line = 1;
    int column = 1;
    for (int i = 0; i < position && i < source.length; i++) {
      column = source[i] == '\n' ? 1 : column + 1;
      line += source[i] == '\n' ? 1 : 0;
    }
    return "line %d, column %d".formatted(line, column);
  }

  private GrammarException error(int position, String problem) {
    return new GrammarException("grammar, " + place(position) + ": " + problem);
  }
}
