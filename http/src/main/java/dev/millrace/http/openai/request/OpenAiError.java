package dev.millrace.http.openai.request;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.route.Problem;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.shelf.ModelLoadException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Errors in OpenAI's format: {@code {"error": {message, type, param, code}}}. */
public final class OpenAiError {
  private OpenAiError() {}

  /** The body of an error response, and the last event of a stream that fails late. */
  public static JsonObject body(Problem problem) {
    return JsonObject.create().put("error", object(problem));
  }

  /** The error with all its fields. */
  public static JsonObject object(Problem problem) {
    Problem.Field field = problem.field();
    String path = field == null || field.path().isEmpty() ? null : field.path();
    return JsonObject.create()
        .put("message", path == null ? problem.text() : path + " " + field.rule())
        .put("type", type(problem.kind()))
        .put("param", path)
        .put("code", code(problem));
  }

  private static String type(Problem.Kind kind) {
    return switch (kind) {
      case INTERNAL, UNAVAILABLE -> "server_error";
      case TOO_MANY_REQUESTS -> "requests";
      case MALFORMED,
          INVALID,
          UNAUTHORIZED,
          FORBIDDEN,
          NOT_FOUND,
          METHOD_NOT_ALLOWED,
          REQUEST_TIMEOUT,
          CONFLICT,
          TOO_LARGE,
          UNSUPPORTED_MEDIA_TYPE,
          HEADERS_TOO_LARGE ->
          "invalid_request_error";
    };
  }

  private static @Nullable String code(Problem problem) {
    if (problem.code() != null) {
      return problem.code();
    }
    Problem.Field field = problem.field();
    if (field != null) {
      return switch (field.flaw()) {
        case UNKNOWN -> "unknown_parameter";
        case MISSING -> "missing_required_parameter";
        case TYPE -> "invalid_type";
        case VALUE -> "invalid_value";
      };
    }
    return switch (problem.kind()) {
      case UNAUTHORIZED -> "invalid_api_key";
      case TOO_MANY_REQUESTS -> "rate_limit_exceeded";
      default -> null;
    };
  }

  /**
   * A field has a value that breaks a rule.
   *
   * @param param such as {@code messages[0].role}
   * @param rule to be read after the field's name: "must be …"
   */
  public static Problem invalid(String param, String rule) {
    return wrong(param, rule, null);
  }

  /** A field that is known and not supported here; the rule says what to do instead. */
  public static Problem unsupported(String param, String rule) {
    return wrong(param, rule, "unsupported_parameter");
  }

  private static Problem wrong(String param, String rule, @Nullable String code) {
    return new Problem(Problem.Kind.INVALID, code, param + " " + rule)
        .withField(new Problem.Field(param, rule, Problem.Flaw.VALUE));
  }

  /**
   * What is thrown where a model is asked, as a problem; anything else stays as it is.
   *
   * @param prompt the field that has the prompt, such as {@code messages}
   */
  public static Throwable translate(Throwable thrown, String prompt) {
    return switch (thrown) {
      case TaskRefused refused -> refused(refused, prompt);
      case ModelLoadException e ->
          new Problem(
              Problem.Kind.UNAVAILABLE,
              null,
              String.valueOf(e.getMessage()),
              null,
              Map.of("Retry-After", "5"));
      default -> thrown;
    };
  }

  private static Problem refused(TaskRefused refused, String prompt) {
    String text = refused.getMessage();
    return switch (refused.reason()) {
      case MODEL_NOT_FOUND ->
          new Problem(Problem.Kind.NOT_FOUND, "model_not_found", text)
              .withField(
                  new Problem.Field("model", text.replaceFirst("^model ", ""), Problem.Flaw.VALUE));
      case CONTEXT_LENGTH ->
          new Problem(Problem.Kind.INVALID, "context_length_exceeded", text)
              .withField(new Problem.Field(prompt, "too long: " + text, Problem.Flaw.VALUE));
      case PARAMETER -> {
        String name = refused.parameter();
        yield name == null
            ? new Problem(Problem.Kind.INVALID, text)
            : invalid(name.equals("prompt_tokens") ? prompt : name, rule(text, name));
      }
      case OTHER -> new Problem(Problem.Kind.INVALID, text);
    };
  }

  /** The rule without the name of the parameter, which comes before it. */
  private static String rule(String text, String name) {
    for (String start : List.of("parameter \"" + name + "\" ", name + " ")) {
      if (text.startsWith(start)) {
        return text.substring(start.length());
      }
    }
    return "is refused: " + text;
  }
}
