package dev.millrace.http.openapi;

import dev.millrace.core.json.Json;
import dev.millrace.http.route.Problem;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A compiled schema of the OpenAPI document: the part of JSON Schema 2020-12 that the document
 * uses. Values are those of {@link Json}. Immutable once its document is loaded. A check allocates
 * no text unless a rule is broken.
 */
public final class Schema {

  /** One rule that a value may break. */
  @FunctionalInterface
  interface Rule {
    @Nullable SchemaViolation violation(@Nullable Object value, int depth);
  }

  /** The deepest nesting of schemas; those of the document need far less. */
  static final int MAX_DEPTH = 4 * Json.MAX_DEPTH;

  private Rule[] rules = {};
  private SchemaType type = SchemaType.ANY;
  private String title = "";

  Schema() {}

  /** Sets the content; a schema may be referred to before it is read. */
  void define(SchemaType type, String title, List<Rule> rules) {
    this.type = type;
    this.title = title;
    this.rules = rules.toArray(Rule[]::new);
  }

  /**
   * @param where what {@code value} is, such as {@code request/body}
   * @throws Problem MALFORMED if its form is wrong, INVALID if a value is not allowed; the message
   *     names the location and the rule
   */
  public void check(@Nullable Object value, String where) {
    SchemaViolation violation = violation(value, 0);
    if (violation != null) {
      throw violation.toProblem(where);
    }
  }

  /**
   * Parses a parameter from its text.
   *
   * @return a Long, a Boolean, a BigDecimal or the text itself, as the type says
   * @throws Problem INVALID, naming the location and the rule
   */
  public Object parseAndCheck(String text, String where) {
    Object value = read(text, where);
    SchemaViolation violation = violation(value, 0);
    if (violation != null) {
      throw violation.asInvalid().toProblem(where);
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

  /** Allows ASCII digits only: Java also accepts '+' and digits of other scripts. */
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
      SchemaViolation violation = rule.violation(value, depth);
      if (violation != null) {
        return violation;
      }
    }
    return null;
  }

  /** The allowed types; {@link SchemaType#ANY} if the schema has none. */
  SchemaType type() {
    return type;
  }

  /** The title for messages; may be empty. */
  String title() {
    return title;
  }
}
