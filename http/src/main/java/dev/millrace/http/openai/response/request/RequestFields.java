package dev.millrace.http.openai.response.request;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.openai.response.request.ResponseRequest.Delivery;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a request that its response repeats, all of them: null or the default where the
 * request does not set them.
 */
record RequestFields(JsonObject body, FunctionTools tools) {

  private static final Map<String, String> PLAIN = Map.of("type", "text");

  /** Fields that OpenAI does not have: repeated only where they are set. */
  private static final List<String> OWN =
      List.of("user", "seed", "top_k", "min_p", "stop", "repeat_penalty", "repetition_penalty");

  JsonObject of(Delivery delivery) {
    JsonObject fields = JsonObject.create();
    copy(fields, "instructions", "max_output_tokens", "max_tool_calls", "previous_response_id");
    copy(fields, "temperature", "top_p", "safety_identifier", "prompt_cache_key");
    fields
        .put("background", delivery.background())
        .put("store", delivery.store())
        .put("service_tier", delivery.flex() ? "flex" : "default")
        .put("metadata", or("metadata", Map.of()))
        .put("presence_penalty", or("presence_penalty", 0L))
        .put("frequency_penalty", or("frequency_penalty", 0L))
        .put("top_logprobs", or("top_logprobs", 0L))
        .put("tools", tools.tools())
        .put("tool_choice", tools.choice())
        .put("parallel_tool_calls", or("parallel_tool_calls", true))
        .put("text", text(body.object("text")))
        .put("reasoning", reasoning(body.object("reasoning")))
        .put("truncation", or("truncation", "disabled"));
    OWN.forEach(name -> fields.putIfPresent(name, body.get(name)));
    return fields;
  }

  private static Object text(JsonObject text) {
    return JsonObject.create()
        .put("format", text.has("format") ? format(text.object("format")) : PLAIN)
        .put("verbosity", text.has("verbosity") ? text.get("verbosity") : "medium")
        .values();
  }

  private static Object reasoning(JsonObject reasoning) {
    return JsonObject.create()
        .put("effort", reasoning.get("effort"))
        .put("summary", reasoning.get("summary"))
        .values();
  }

  private static Object format(JsonObject format) {
    if (!"json_schema".equals(format.get("type"))) {
      return format.values();
    }
    return JsonObject.create()
        .put("type", "json_schema")
        .put("name", format.get("name"))
        .put("description", format.get("description"))
        .put("schema", format.get("schema"))
        .put("strict", format.flag("strict", false))
        .values();
  }

  private void copy(JsonObject fields, String... names) {
    for (String name : names) {
      fields.put(name, body.get(name));
    }
  }

  private @Nullable Object or(String name, Object otherwise) {
    return body.has(name) ? body.get(name) : otherwise;
  }
}
