package dev.millrace.http.openai.response.request;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.openai.request.GenerateData;
import dev.millrace.http.openai.request.OpenAiError;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a generate task that a request sets. What cannot be honoured is refused by its
 * name.
 *
 * @param parameters in the names of generate tasks
 */
record ResponseParameters(JsonObject parameters, FunctionTools tools) {
  private static final String LOGPROBS = "message.output_text.logprobs";

  static ResponseParameters of(JsonObject body) {
    refuseUnsupported(body);
    JsonObject parameters = GenerateData.of(body);
    parameters.putIfPresent("max_tokens", body.get("max_output_tokens"));
    FunctionTools tools = FunctionTools.of(body);
    tools.putInto(parameters, body);
    parameters.putIfPresent("reasoning_effort", body.object("reasoning").get("effort"));
    parameters.putIfPresent("response_format", format(body.object("text").object("format")));
    logprobs(body, parameters);
    GenerateData.checkMetadata(body);
    return new ResponseParameters(parameters, tools);
  }

  private static void refuseUnsupported(JsonObject body) {
    if (body.has("conversation")) {
      throw OpenAiError.invalid("conversation", "is not supported: use previous_response_id");
    }
    if (body.has("prompt")) {
      throw OpenAiError.invalid("prompt", "is not supported: send instructions and input");
    }
    if (!body.has("input") && !body.has("previous_response_id")) {
      throw OpenAiError.missing("input");
    }
    Object summary = body.object("reasoning").get("summary");
    if (summary != null && !summary.equals("auto")) {
      throw OpenAiError.invalid(
          "reasoning.summary", "must be auto: thoughts are given as they are, not summarized");
    }
  }

  private static @Nullable Object format(JsonObject format) {
    if (!format.has("type") || "text".equals(format.get("type"))) {
      return null;
    }
    if ("json_object".equals(format.get("type"))) {
      return Map.of("type", "json_object");
    }
    if (!format.has("schema")) {
      throw OpenAiError.missing("text.format.schema");
    }
    JsonObject schema = JsonObject.create();
    for (String name : List.of("name", "schema", "strict", "description")) {
      schema.putIfPresent(name, format.get(name));
    }
    return Map.of("type", "json_schema", "json_schema", schema.values());
  }

  private static void logprobs(JsonObject body, JsonObject parameters) {
    boolean wanted = body.list("include").contains(LOGPROBS); // all others can only be empty here
    long top = body.integer("top_logprobs", 0);
    if (wanted) {
      parameters.put("logprobs", top);
    } else if (top > 0) {
      throw OpenAiError.invalid("top_logprobs", "needs \"" + LOGPROBS + "\" in include");
    }
  }
}
