package dev.millrace.http.openapi;

import dev.millrace.core.json.Json;
import dev.millrace.http.route.Problem;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A schema of the API's document, compiled: the part of JSON Schema 2020-12 that the document uses.
 * Values are those of {@link Json}. Immutable once its document is loaded. A check makes no text and no
 * path until something is wrong.
 */
public final class Schema {

  /** One rule that a value may break. */
  @FunctionalInterface
  interface Rule {
    @Nullable SchemaViolation violation(@Nullable Object value, int depth);
  }

  /** Deepest application of schemas within schemas; the document's own need far less. */
  static final int MAX_DEPTH = 4 * Json.MAX_DEPTH;

  private Rule[] rules = {};
  private SchemaType type = SchemaType.ANY;
  private String title = "";

  Schema() {}

  /** Fills in what was referred to before it was read. */
  void define(SchemaType type, String title, List<Rule> rules) {
    this.type = type;
    this.title = title;
    this.rules = rules.toArray(Rule[]::new);
  }

  /**
   * @param where what {@code value} is, such as {@code request/body}
   * @throws Problem MALFORMED where its form is wrong, INVALID where a value in it is not allowed;
   *     the text names the place and the rule
   */
  public void check(@Nullable Object value, String where) {
    SchemaViolation fault = violation(value, 0);
    if (fault != null) {
      throw fault.toProblem(where);
    }
  }

  /**
   * Reads a parameter, which is text whatever its type.
   *
   * @return a Long, a Boolean, a BigDecimal or the text itself, as the type says
   * @throws Problem INVALID, with place and rule
   */
  public Object parseAndCheck(String text, String where) {
    Object value = read(text, where);
    SchemaViolation fault = violation(value, 0);
    if (fault != null) {
      throw new SchemaViolation(Problem.Kind.INVALID, fault.path(), fault.rule()).toProblem(where);
    }
    return value;
  }

  private Object read(String text, String where) {
    if (type.allows(text)) {
      return text;
    }
    try {
      return switch (text) {
        case "true" -> Boolean.TRUE;
        case "false" -> Boolean.FALSE;
        default ->
            type.isIntegerOnly() ? (Object) Long.valueOf(digits(text)) : new BigDecimal(text);
      };
    } catch (NumberFormatException e) {
      throw SchemaViolation.invalid(
              "must be " + type + ", not \"" + SchemaViolation.shorten(text) + "\"")
          .toProblem(where);
    }
  }

  /** Java reads a sign '+' and digits of all scripts as well; nobody should depend on that. */
  private static String digits(String text) {
    for (int i = text.startsWith("-") ? 1 : 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        throw new NumberFormatException(text);
      }
    }
    return text;
  }

  @Nullable SchemaViolation violation(@Nullable Object value, int depth) {
    if (depth > MAX_DEPTH) {
      return SchemaViolation.malformed("is nested too deeply");
    }
    for (Rule rule : rules) {
      SchemaViolation fault = rule.violation(value, depth);
      if (fault != null) {
        return fault;
      }
    }
    return null;
  }

  /** What the values may be; {@link SchemaType#ANY} where the schema does not say. */
  SchemaType type() {
    return type;
  }

  /** What people call it, or nothing. */
  String title() {
    return title;
  }
}
