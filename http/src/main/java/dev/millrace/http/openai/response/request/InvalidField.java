package dev.millrace.http.openai.response.request;

import dev.millrace.http.route.Problem;
import org.jspecify.annotations.Nullable;

/** Refuses a field of a request by its name. */
public final class InvalidField {
  private InvalidField() {}

  /** A field that is required and not there. */
  static Problem missing(String path) {
    return problem(null, path, "is required", Problem.Flaw.MISSING);
  }

  /**
   * A field with a value for which OpenAI has a code of its own.
   *
   * @param rule to be read after the path
   */
  public static Problem withCode(String code, String path, String rule) {
    return problem(code, path, rule, Problem.Flaw.VALUE);
  }

  private static Problem problem(
      @Nullable String code, String path, String rule, Problem.Flaw flaw) {
    return new Problem(Problem.Kind.INVALID, code, path + " " + rule)
        .withField(new Problem.Field(path, rule, flaw));
  }
}
