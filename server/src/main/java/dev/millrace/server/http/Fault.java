package dev.millrace.server.http;

/**
 * Where a value breaks which rule of its schema.
 *
 * @param path from the value that was checked to the one that is wrong; empty: itself
 */
record Fault(Problem.Kind kind, String path, String rule) {

  /** Longest name that is repeated to whoever sent it. */
  private static final int MAX_NAME = 60;

  /** What has the wrong form. */
  static Fault shape(String rule) {
    return new Fault(Problem.Kind.MALFORMED, "", rule);
  }

  /** What has the right form and a value that is not allowed. */
  static Fault value(String rule) {
    return new Fault(Problem.Kind.INVALID, "", rule);
  }

  /** The same, seen from one level up. */
  Fault below(String step) {
    return new Fault(kind, path.isEmpty() ? cut(step) : cut(step) + "/" + path, rule);
  }

  Problem problem(String where) {
    return new Problem(kind, (path.isEmpty() ? where : where + "/" + path) + " " + rule);
  }

  int depth() {
    return path.isEmpty() ? 0 : 1 + (int) path.chars().filter(c -> c == '/').count();
  }

  /** A name that came with a request, short enough for a message. */
  static String cut(String name) {
    return Excerpt.of(name, MAX_NAME);
  }
}
