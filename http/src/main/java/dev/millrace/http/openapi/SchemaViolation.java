package dev.millrace.http.openapi;

import dev.millrace.http.route.Problem;
import dev.millrace.http.route.TruncatedText;

/**
 * Where a value breaks which rule of its schema.
 *
 * @param path from the value that was checked to the one that is wrong; empty: itself
 */
record SchemaViolation(Problem.Kind kind, String path, String rule) {

  /** Longest name that is repeated to whoever sent it. */
  private static final int MAX_NAME = 60;

  /** What has the wrong form. */
  static SchemaViolation malformed(String rule) {
    return new SchemaViolation(Problem.Kind.MALFORMED, "", rule);
  }

  /** What has the right form and a value that is not allowed. */
  static SchemaViolation invalid(String rule) {
    return new SchemaViolation(Problem.Kind.INVALID, "", rule);
  }

  /** The same, seen from one level up. */
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

  /** A name that came with a request, short enough for a message. */
  static String shorten(String name) {
    return TruncatedText.of(name, MAX_NAME);
  }
}
