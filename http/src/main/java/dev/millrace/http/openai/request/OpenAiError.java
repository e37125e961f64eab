package dev.millrace.http.openai.request;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.TruncatedText;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.shelf.ModelLoadException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Errors in OpenAI's format: {@code {"error": {message, type, param, code}}}. */
public final class OpenAiError {
  /** The longest name that is repeated in a message. */
  private static final int MAX_NAME = 60;

  /** The longest value that is repeated in a message. */
  private static final int MAX_VALUE = 100;

  private static final int MAX_MESSAGE = 2_000;

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
        .put(
            "message",
            TruncatedText.of(
                path == null ? problem.text() : path + " " + field.rule(), MAX_MESSAGE))
        .put("type", type(problem.kind()))
        .put("param", path)
        .put("code", code(problem));
  }

  private static String type(Problem.Kind kind) {
    return switch (kind) {
      case INTERNAL, UNAVAILABLE, INSUFFICIENT_STORAGE -> "server_error";
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

  /** A value of a client, for a message: in quotes, and not too long. */
  public static String quoted(@Nullable Object value) {
    return "\"" + TruncatedText.of(String.valueOf(value), MAX_VALUE) + "\"";
  }

  /**
   * A field has a value that breaks a rule.
   *
   * @param param such as {@code messages[0].role}
   * @param rule to be read after the field's name: "must be …"
   */
  public static Problem invalid(String param, String rule) {
    return wrong(param, rule, null, Problem.Flaw.VALUE);
  }

  /** A field that is known and not supported here; the rule says what to do instead. */
  public static Problem unsupported(String param, String rule) {
    return wrong(param, rule, "unsupported_parameter", Problem.Flaw.VALUE);
  }

  /**
   * A field that has to be there.
   *
   * @param unless when it need not, to be read after "is required"; may be empty
   */
  public static Problem missing(String param, String unless) {
    return wrong(param, "is required" + unless, null, Problem.Flaw.MISSING);
  }

  /** A field that has to be there. */
  public static Problem missing(String param) {
    return missing(param, "");
  }

  /** A field that its object does not have. */
  static Problem unknown(String param, String object) {
    return wrong(param, "is not known in " + object, null, Problem.Flaw.UNKNOWN);
  }

  /**
   * Refuses fields that an object does not have. A null counts as absent: clients send back objects
   * with all their nulls.
   *
   * @param known in the order of the message
   * @param path of the object
   */
  public static void requireKnown(Map<?, ?> fields, Collection<String> known, String path) {
    fields.forEach(
        (name, value) -> {
          if (value != null && !known.contains(name)) {
            throw wrong(
                path + "." + TruncatedText.of(String.valueOf(name), MAX_NAME),
                "is not known here; known: " + String.join(", ", known),
                null,
                Problem.Flaw.UNKNOWN);
          }
        });
  }

  /** A field with a value for which OpenAI has a code of its own. */
  public static Problem withCode(String code, String param, String rule) {
    return wrong(param, rule, code, Problem.Flaw.VALUE);
  }

  private static Problem wrong(
      String param, String rule, @Nullable String code, Problem.Flaw flaw) {
    return new Problem(Problem.Kind.INVALID, code, param + " " + rule)
        .withField(new Problem.Field(param, rule, flaw));
  }

  /**
   * What is thrown where a model is asked, as a problem; anything else stays as it is.
   *
   * @param fields of the client's request
   */
  public static Throwable translate(Throwable thrown, ClientFields fields) {
    return switch (thrown) {
      case TaskRefused refused -> refused(refused, fields);
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

  private static Problem refused(TaskRefused refused, ClientFields fields) {
    String text = refused.getMessage();
    return switch (refused.reason()) {
      case MODEL_NOT_FOUND ->
          new Problem(Problem.Kind.NOT_FOUND, "model_not_found", text)
              .withField(
                  new Problem.Field("model", text.replaceFirst("^model ", ""), Problem.Flaw.VALUE));
      case CONTEXT_LENGTH ->
          new Problem(Problem.Kind.INVALID, "context_length_exceeded", text)
              .withField(
                  new Problem.Field(fields.prompt(), "too long: " + text, Problem.Flaw.VALUE));
      case PARAMETER -> {
        String name = refused.parameter();
        yield name == null
            ? new Problem(Problem.Kind.INVALID, text)
            : invalid(fields.field(name, refused), rule(text, name));
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
    return "is refused: "
        + (text.startsWith(name + ": ") ? text.substring(name.length() + 2) : text);
  }
}
