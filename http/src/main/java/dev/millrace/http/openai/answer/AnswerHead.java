package dev.millrace.http.openai.answer;

import dev.millrace.core.json.JsonObject;
import java.time.Instant;
import java.util.UUID;

/**
 * The fields that an answer and all chunks of its stream begin with.
 *
 * @param id with the prefix of its kind, such as {@code chatcmpl-}
 * @param created when the request came
 * @param tier the service tier that the request got
 */
public record AnswerHead(String id, Instant created, String tier) {

  public static AnswerHead of(String prefix, Instant created, String tier) {
    return new AnswerHead(prefix + randomHex(), created, tier);
  }

  /** A random id for a tool call. */
  public static String callId() {
    return "call_" + randomHex().substring(0, 24);
  }

  private static String randomHex() {
    return UUID.randomUUID().toString().replace("-", "");
  }

  /**
   * @param object the type of the object
   * @param model the full name of the model that answers
   */
  public JsonObject json(String object, String model) {
    return JsonObject.create()
        .put("id", id)
        .put("object", object)
        .put("created", created.getEpochSecond())
        .put("model", model)
        .put("service_tier", tier);
  }
}
