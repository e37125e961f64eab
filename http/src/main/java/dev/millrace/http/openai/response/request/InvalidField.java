package dev.millrace.http.openai.response.request;

import dev.millrace.http.route.Problem;
import dev.millrace.http.route.TruncatedText;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Refuses a field of a request by its name. */
public final class InvalidField {
  /** The longest name that is repeated in a message. */
  private static final int MAX_NAME = 60;

  private InvalidField() {}

  /** A field that is required and not there. */
  static Problem missing(String path) {
    return problem(null, path, "is required", Problem.Flaw.MISSING);
  }

  /**
   * Refuses fields that an object does not have. A null counts as absent: clients send back items
   * with all their nulls.
   *
   * @param path of the object
   */
  static void requireKnown(Map<?, ?> fields, Set<String> known, String path) {
    fields.forEach(
        (name, value) -> {
          if (value != null && !known.contains(name)) {
            throw problem(
                null,
                path + "." + TruncatedText.of(String.valueOf(name), MAX_NAME),
                "is not known here; known: " + String.join(", ", known),
                Problem.Flaw.UNKNOWN);
          }
        });
  }

  /** An ordered set of names. */
  static Set<String> names(String... names) {
    return new LinkedHashSet<>(List.of(names));
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
