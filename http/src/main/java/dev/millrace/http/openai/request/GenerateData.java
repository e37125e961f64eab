package dev.millrace.http.openai.request;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.route.Problem;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Translates the fields that requests of OpenAI's API share into the parameters of a generate task.
 * Types and ranges were checked against the OpenAPI document. A null counts as not set.
 */
public final class GenerateData {
  /** The name that stands for the server's default model. */
  private static final String DEFAULT_MODEL = "default";

  /** The smallest share: only the likeliest token is left. The task has no 0. */
  private static final double LEAST_TOP_P = 1e-9;

  private static final int MAX_METADATA = 16;

  /** Fields with the same name and meaning in both. */
  private static final List<String> SAME =
      List.of(
          "temperature",
          "top_k",
          "min_p",
          "seed",
          "stop",
          "presence_penalty",
          "frequency_penalty",
          "repeat_last_n",
          "logit_bias",
          "ignore_eos",
          "grammar",
          "json_schema",
          "reasoning_effort",
          "chat_template_kwargs",
          "tool_format");

  private GenerateData() {}

  /** The model that a request names; null: the default. */
  public static @Nullable String model(JsonObject body) {
    String name = body.string("model", null);
    return DEFAULT_MODEL.equals(name) ? null : name;
  }

  /** The parameters of sampling and of the output's form; the prompt is added by the caller. */
  public static JsonObject of(JsonObject body) {
    JsonObject data = JsonObject.create().putIfPresent("model", model(body));
    SAME.forEach(name -> data.putIfPresent(name, body.get(name)));
    if (body.has("top_p")) {
      data.put("top_p", Math.max(body.number("top_p", 1), LEAST_TOP_P));
    }
    data.putIfPresent(
        "repeat_penalty", oneOf(body, List.of("repetition_penalty", "repeat_penalty")));
    return data;
  }

  /** The one value of a field that has several names. */
  public static @Nullable Object oneOf(JsonObject body, List<String> names) {
    Object value = null;
    for (String name : names) {
      Object given = body.get(name);
      if (given != null && value != null && !given.equals(value)) {
        throw OpenAiError.invalid(
            name, "has another value than the same field under its other name; send one of them");
      }
      value = given == null ? value : given;
    }
    return value;
  }

  /**
   * Whether somebody waits for the answer: not with {@code flex}, which means the priority of the
   * queue.
   */
  public static boolean isInteractive(JsonObject body) {
    return !"flex".equals(body.string("service_tier", null));
  }

  /** The tier that a request got. */
  public static String tier(JsonObject body) {
    return isInteractive(body) ? "default" : "flex";
  }

  /**
   * Refuses fields that this server knows and cannot honour.
   *
   * @param reasons by field: what to do instead, to be read after its name
   */
  public static void refuse(JsonObject body, Map<String, String> reasons) {
    for (String name : body.values().keySet()) {
      String reason = reasons.get(name);
      if (reason != null && !isOff(body.get(name))) {
        throw OpenAiError.unsupported(name, reason);
      }
    }
  }

  /** Whether a value asks for nothing. */
  private static boolean isOff(@Nullable Object value) {
    return value == null
        || Boolean.FALSE.equals(value)
        || value instanceof List<?> list && list.isEmpty();
  }

  /**
   * @throws Problem if there are too many entries, or one is too long
   */
  public static void checkMetadata(JsonObject body) {
    Map<String, @Nullable Object> all = body.object("metadata").values();
    if (all.size() > MAX_METADATA) {
      throw OpenAiError.invalid(
          "metadata", "must have at most " + MAX_METADATA + " entries, not " + all.size());
    }
    for (String key : all.keySet()) {
      if (key.isEmpty() || key.codePointCount(0, key.length()) > 64) {
        throw OpenAiError.invalid("metadata", "must have keys of 1 to 64 characters");
      }
    }
  }

  /**
   * @throws Problem if there are options of a stream, but no stream
   */
  public static void checkStreamOptions(JsonObject body) {
    if (body.has("stream_options") && !body.flag("stream", false)) {
      throw OpenAiError.invalid("stream_options", "is allowed only with stream: true");
    }
  }

  /** Whether the client asks for usage at the end of a stream. */
  public static boolean includesUsage(JsonObject body) {
    checkStreamOptions(body);
    return body.object("stream_options").flag("include_usage", false);
  }
}
