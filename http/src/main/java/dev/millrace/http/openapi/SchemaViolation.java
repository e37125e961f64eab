package dev.millrace.http.openapi;

import dev.millrace.http.route.Problem;
import dev.millrace.http.route.TruncatedText;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A rule that a value breaks, and where.
 *
 * @param path from the checked value to the wrong one; empty: the checked value itself
 * @param property of the wrong value that is unknown or missing; null: the value itself is wrong
 */
record SchemaViolation(
    Problem.Kind kind, String path, String rule, Problem.Flaw flaw, @Nullable String property) {

  /** The longest name that is repeated in a message. */
  private static final int MAX_NAME = 60;

  private static final String QUERY = "request/query/";

  private static final Pattern ITEM = Pattern.compile("([0-9]{1,9})(/|$)");

  /** The value has the wrong form. */
  static SchemaViolation malformed(String rule) {
    return new SchemaViolation(Problem.Kind.MALFORMED, "", rule, Problem.Flaw.TYPE, null);
  }

  /** The value has the right form but is not allowed. */
  static SchemaViolation invalid(String rule) {
    return new SchemaViolation(Problem.Kind.INVALID, "", rule, Problem.Flaw.VALUE, null);
  }

  /** The value has the wrong form: a property is unknown or missing. */
  SchemaViolation of(Problem.Flaw wrong, String name) {
    return new SchemaViolation(kind, path, rule, wrong, shorten(name));
  }

  /** The same violation, of a value that has the right form. */
  SchemaViolation asInvalid() {
    return new SchemaViolation(Problem.Kind.INVALID, path, rule, flaw, property);
  }

  /** The same violation, seen from the parent. */
  SchemaViolation under(String step) {
    String whole = path.isEmpty() ? shorten(step) : shorten(step) + "/" + path;
    return new SchemaViolation(kind, whole, rule, flaw, property);
  }

  Problem toProblem(String where) {
    return new Problem(kind, (path.isEmpty() ? where : where + "/" + path) + " " + rule)
        .withField(new Problem.Field(field(where), fieldRule(), flaw));
  }

  /** The name of the field: {@code messages[0].role}. */
  private String field(String where) {
    StringBuilder name = new StringBuilder(where.startsWith(QUERY) ? where.substring(14) : "");
    for (String step : path.isEmpty() ? new String[0] : path.split("/", -1)) {
      append(name, step);
    }
    if (property != null) {
      append(name, property);
    }
    return name.toString();
  }

  private static void append(StringBuilder name, String step) {
    if (!step.isEmpty() && step.chars().allMatch(c -> c >= '0' && c <= '9')) {
      name.append('[').append(step).append(']');
    } else {
      name.append(name.isEmpty() ? "" : ".").append(step);
    }
  }

  /** The rule, where the name of the property comes before it. */
  private String fieldRule() {
    if (property == null) {
      return rule;
    }
    int hint = rule.indexOf("\"; ");
    return flaw == Problem.Flaw.MISSING
        ? "is required"
        : "is not known here" + (hint < 0 ? "" : rule.substring(hint + 1));
  }

  /** Whether a value with this violation is more like what was asked for than with another. */
  boolean isCloserThan(SchemaViolation other) {
    if (kind != other.kind) {
      return kind == Problem.Kind.INVALID; // the form is right
    }
    return depth() == other.depth() ? item() > other.item() : depth() > other.depth();
  }

  private int depth() {
    return path.isEmpty() ? 0 : 1 + (int) path.chars().filter(c -> c == '/').count();
  }

  /** The place of the item of a list that the path begins with; -1: it begins with none. */
  private int item() {
    Matcher item = ITEM.matcher(path);
    return item.lookingAt() ? Integer.parseInt(item.group(1)) : -1;
  }

  /** Shortens a name from a request for a message. */
  static String shorten(String name) {
    return TruncatedText.of(name, MAX_NAME);
  }
}
