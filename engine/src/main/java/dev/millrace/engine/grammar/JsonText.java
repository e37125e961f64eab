package dev.millrace.engine.grammar;

import static dev.millrace.engine.grammar.Expr.alt;
import static dev.millrace.engine.grammar.Expr.chars;
import static dev.millrace.engine.grammar.Expr.optional;
import static dev.millrace.engine.grammar.Expr.seq;
import static dev.millrace.engine.grammar.Expr.text;

import dev.millrace.engine.grammar.Expr.Alt;
import dev.millrace.engine.grammar.Expr.Chars;
import dev.millrace.engine.grammar.Expr.Ref;
import dev.millrace.engine.grammar.Expr.Repeat;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How JSON is spelled: the rules for values of any kind, and single characters and texts within
 * strings.
 */
final class JsonText {
  static final String VALUE = "value";
  static final String OBJECT = "object";
  static final String ARRAY = "array";
  static final String STRING = "string";
  static final String CHARACTER = "character";
  static final String NUMBER = "number";
  static final String INTEGER = "integer";

  /** Between items: at most one space, so that a model cannot go on with blanks for ever. */
  static final Expr COMMA = seq(text(","), optional(text(" ")));

  static final Expr COLON = seq(text(":"), optional(text(" ")));
  static final Expr QUOTE = text("\"");

  private static final CodePoints ESCAPED = CodePoints.ranges(0, 0x1f, '"', '"', '\\', '\\');

  private JsonText() {}

  /** The rules of all kinds of values, by the names above. */
  static Map<String, Expr> rules() {
    Map<String, Expr> rules = new LinkedHashMap<>();
    Expr value = new Ref(VALUE);
    Expr pair = seq(new Ref(STRING), COLON, value);
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

  static Expr many(Expr body) {
    return new Repeat(body, 0, Expr.UNBOUNDED);
  }

  /** One or more with commas between. */
  static Expr separated(Expr item) {
    return seq(item, many(seq(COMMA, item)));
  }

  private static Expr digits1To18() {
    return seq(chars('1', '9'), new Repeat(chars('0', '9'), 0, 17));
  }

  private static Expr number() {
    Expr digit = chars('0', '9');
    Expr fraction = seq(text("."), new Repeat(digit, 1, 17));
    Expr exponent =
        seq(
            chars('e', 'e', 'E', 'E'),
            optional(chars('+', '+', '-', '-')),
            new Repeat(digit, 1, 2));
    return seq(
        optional(text("-")), alt(text("0"), digits1To18()), optional(fraction), optional(exponent));
  }

  /** A character of a string in any spelling; surrogates are escaped in pairs only. */
  private static Expr anyCharacter() {
    Expr hex = chars('0', '9', 'a', 'f', 'A', 'F');
    Expr notD = chars('0', '9', 'a', 'c', 'A', 'C', 'e', 'f', 'E', 'F');
    Expr scalar =
        alt(seq(notD, hex, hex, hex), seq(chars('d', 'd', 'D', 'D'), chars('0', '7'), hex, hex));
    Expr high = seq(chars('d', 'd', 'D', 'D'), chars('8', '9', 'a', 'b', 'A', 'B'), hex, hex);
    Expr low = seq(chars('d', 'd', 'D', 'D'), chars('c', 'f', 'C', 'F'), hex, hex);
    Expr unicode = seq(text("u"), alt(scalar, seq(high, text("\\u"), low)));
    Expr escape = seq(text("\\"), alt(new Chars(CodePoints.of("\"\\/bfnrt")), unicode));
    return alt(new Chars(ESCAPED.not()), escape);
  }

  /**
   * A character of the set, each in one spelling: as itself where JSON allows, else by its shortest
   * escape.
   */
  static Expr spell(CodePoints set) {
    List<Expr> spellings = new ArrayList<>();
    CodePoints plain = set.minus(ESCAPED);
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

  /** The text as a JSON string, in the spelling of {@link #spell}. */
  static String quote(String text) {
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
