package dev.millrace.engine.internal.grammar;

import static dev.millrace.engine.internal.grammar.RuleExpression.alt;
import static dev.millrace.engine.internal.grammar.RuleExpression.chars;
import static dev.millrace.engine.internal.grammar.RuleExpression.optional;
import static dev.millrace.engine.internal.grammar.RuleExpression.seq;
import static dev.millrace.engine.internal.grammar.RuleExpression.text;

import dev.millrace.engine.internal.grammar.RuleExpression.Alt;
import dev.millrace.engine.internal.grammar.RuleExpression.Chars;
import dev.millrace.engine.internal.grammar.RuleExpression.Ref;
import dev.millrace.engine.internal.grammar.RuleExpression.Repeat;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The grammar rules of JSON: values of any kind, and characters and texts within strings. */
public final class JsonSyntax {
  public static final String VALUE = "value";
  public static final String OBJECT = "object";
  static final String ARRAY = "array";
  public static final String STRING = "string";
  public static final String CHARACTER = "character";
  public static final String NUMBER = "number";
  public static final String INTEGER = "integer";

  /** Between items: at most one space, so that a model cannot generate blanks forever. */
  public static final RuleExpression COMMA = seq(text(","), optional(text(" ")));

  public static final RuleExpression COLON = seq(text(":"), optional(text(" ")));
  public static final RuleExpression QUOTE = text("\"");

  private static final CodePointSet ESCAPED = CodePointSet.ranges(0, 0x1f, '"', '"', '\\', '\\');

  private JsonSyntax() {}

  /** The rules of all kinds of values, by the names above. */
  public static Map<String, RuleExpression> rules() {
    Map<String, RuleExpression> rules = new LinkedHashMap<>();
    RuleExpression value = new Ref(VALUE);
    RuleExpression pair = seq(new Ref(STRING), COLON, value);
    rules.put(
        VALUE,
        alt(
            new Ref(OBJECT),
            new Ref(ARRAY),
            new Ref(STRING),
            new Ref(NUMBER),
            text("true"),
            text("false"),
            text("null")));
    rules.put(OBJECT, seq(text("{"), optional(separated(pair)), text("}")));
    rules.put(ARRAY, seq(text("["), optional(separated(value)), text("]")));
    rules.put(STRING, seq(QUOTE, many(anyCharacter()), QUOTE));
    rules.put(CHARACTER, anyCharacter());
    rules.put(NUMBER, number());
    rules.put(INTEGER, alt(text("0"), seq(optional(text("-")), digits1To18())));
    return rules;
  }

  public static RuleExpression many(RuleExpression body) {
    return new Repeat(body, 0, RuleExpression.UNBOUNDED);
  }

  /** One or more items with commas between them. */
  public static RuleExpression separated(RuleExpression item) {
    return seq(item, many(seq(COMMA, item)));
  }

  private static RuleExpression digits1To18() {
    return seq(chars('1', '9'), new Repeat(chars('0', '9'), 0, 17));
  }

  private static RuleExpression number() {
    RuleExpression digit = chars('0', '9');
    RuleExpression fraction = seq(text("."), new Repeat(digit, 1, 17));
    RuleExpression exponent =
        seq(
            chars('e', 'e', 'E', 'E'),
            optional(chars('+', '+', '-', '-')),
            new Repeat(digit, 1, 2));
    return seq(
        optional(text("-")), alt(text("0"), digits1To18()), optional(fraction), optional(exponent));
  }

  /** A character of a string, with or without escape; surrogates are escaped in pairs only. */
  private static RuleExpression anyCharacter() {
    RuleExpression hex = chars('0', '9', 'a', 'f', 'A', 'F');
    RuleExpression notD = chars('0', '9', 'a', 'c', 'A', 'C', 'e', 'f', 'E', 'F');
    RuleExpression scalar =
        alt(seq(notD, hex, hex, hex), seq(chars('d', 'd', 'D', 'D'), chars('0', '7'), hex, hex));
    RuleExpression high =
        seq(chars('d', 'd', 'D', 'D'), chars('8', '9', 'a', 'b', 'A', 'B'), hex, hex);
    RuleExpression low = seq(chars('d', 'd', 'D', 'D'), chars('c', 'f', 'C', 'F'), hex, hex);
    RuleExpression unicode = seq(text("u"), alt(scalar, seq(high, text("\\u"), low)));
    RuleExpression escape = seq(text("\\"), alt(new Chars(CodePointSet.of("\"\\/bfnrt")), unicode));
    return alt(new Chars(ESCAPED.not()), escape);
  }

  /**
   * A character of the set in one form only: unescaped if JSON allows it, else with its shortest
   * escape.
   */
  public static RuleExpression spell(CodePointSet set) {
    List<RuleExpression> spellings = new ArrayList<>();
    CodePointSet plain = set.minus(ESCAPED);
    if (!plain.isEmpty()) {
      spellings.add(new Chars(plain));
    }
    int[] escaped = set.and(ESCAPED).bounds();
    for (int i = 0; i < escaped.length; i += 2) {
      for (int c = escaped[i]; c <= escaped[i + 1]; c++) {
        spellings.add(text(escape(c)));
      }
    }
    return spellings.size() == 1 ? spellings.getFirst() : new Alt(spellings);
  }

  /** The text as a JSON string, in the form of {@link #spell}. */
  public static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    text.codePoints()
        .forEach(c -> quoted.append(ESCAPED.contains(c) ? escape(c) : Character.toString(c)));
    return quoted.append('"').toString();
  }

  private static String escape(int c) {
    return switch (c) {
      case '"' -> "\\\"";
      case '\\' -> "\\\\";
      case '\b' -> "\\b";
      case '\f' -> "\\f";
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default -> "\\u%04x".formatted(c);
    };
  }
}
