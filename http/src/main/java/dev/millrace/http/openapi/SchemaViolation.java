package dev.millrace.http.openapi;

import dev.millrace.http.route.Problem;
import dev.millrace.http.route.TruncatedText;

/**
 * A rule that a value breaks, and where.
 *
 * @param path from the checked value to the wrong one; empty: the checked value itself
 */
record SchemaViolation(Problem.Kind kind, String path, String rule) {

  /** The longest name that is repeated in a message. */
  private static final int MAX_NAME = 60;

  /** The value has the wrong form. */
  static SchemaViolation malformed(String rule) {
    return new SchemaViolation(Problem.Kind.MALFORMED, "", rule);
  }

  /** The value has the right form but is not allowed. */
  static SchemaViolation invalid(String rule) {
    return new SchemaViolation(Problem.Kind.INVALID, "", rule);
  }

  /** The same violation, seen from the parent. */
  SchemaViolation under(String step) {
    return new SchemaViolation(
        kind, path.isEmpty() ? shorten(step) : shorten(step) + "/" + path, rule);
  }

  Problem toProblem(String where) {
    return new Problem(kind, (path.isEmpty() ? where : where + "/" + path) + " " + rule);
  }

  int depth() {
    return path.isEmpty() ? 0 : 1 + (int) path.chars().filter(c -> c == '/').count();
  }

  /** Shortens a name from a request for a message. */
  static String shorten(String name) {
    return TruncatedText.of(name, MAX_NAME);
  }
}
