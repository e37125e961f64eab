package dev.millrace.http.openai.chat;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.openai.request.ChatMessages;
import dev.millrace.http.openai.request.ChatTools;
import dev.millrace.http.openai.request.GenerateData;
import dev.millrace.http.openai.request.OpenAiError;
import dev.millrace.http.route.Problem;
import dev.millrace.server.infer.direct.DirectRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request for a chat completion, translated.
 *
 * @param data the parameters of a generate task
 * @param n how many choices to make
 * @param logprobs whether the answer has log probabilities
 * @param includeUsage whether a stream ends with the usage
 * @param tier the service tier that it gets
 */
public record ChatRequest(
    JsonObject data,
    int n,
    boolean logprobs,
    boolean stream,
    boolean includeUsage,
    boolean interactive,
    String tier) {

  private static final Map<String, String> REFUSED =
      Map.of(
          "store",
          "must be false: chat completions are not stored; POST /v1/responses stores its answers",
          "functions",
          "is the old form of tools: send tools",
          "function_call",
          "is the old form of tool_choice: send tool_choice",
          "audio",
          "is not supported: this server answers with text",
          "web_search_options",
          "is not supported: this server does not search the web");

  /**
   * @throws Problem that names a field which cannot be honoured
   */
  public static ChatRequest of(JsonObject body) {
    GenerateData.refuse(body, REFUSED);
    GenerateData.checkMetadata(body);
    if (body.list("modalities").contains("audio")) {
      throw OpenAiError.unsupported("modalities", "must be [\"text\"]: this server makes no sound");
    }
    boolean logprobs = body.flag("logprobs", false);
    return new ChatRequest(
        data(body),
        (int) body.integer("n", 1),
        logprobs,
        body.flag("stream", false),
        GenerateData.includesUsage(body),
        GenerateData.isInteractive(body),
        GenerateData.tier(body));
  }

  /** The parameters of a generate task. */
  static JsonObject data(JsonObject body) {
    JsonObject data = GenerateData.of(body);
    List<JsonObject> messages = ChatMessages.of(body.list("messages"), "messages");
    data.put("messages", messages.stream().map(JsonObject::values).toList());
    data.putIfPresent(
        "max_tokens",
        GenerateData.oneOf(body, List.of("max_completion_tokens", "max_tokens", "n_predict")));
    data.putIfPresent("response_format", format(body));
    ChatTools.copy(body, data);
    copyLogprobs(body, data);
    if (continues(body, messages)) {
      data.put("continue_final_message", true);
    }
    return data;
  }

  private static @Nullable Map<String, @Nullable Object> format(JsonObject body) {
    JsonObject format = body.object("response_format");
    String type = format.string("type", "text");
    if (type.equals("json_schema") && !format.object("json_schema").has("schema")) {
      throw OpenAiError.missing(
          "response_format.json_schema.schema", ": type json_object needs none");
    }
    for (String other : List.of("json_schema", "grammar")) {
      if (!type.equals("text") && body.has(other)) {
        throw OpenAiError.invalid(other, "excludes response_format; send one of them");
      }
    }
    return type.equals("text") ? null : format.values();
  }

  private static void copyLogprobs(JsonObject body, JsonObject data) {
    boolean wanted = body.flag("logprobs", false);
    if (body.has("top_logprobs") && !wanted) {
      throw OpenAiError.invalid("top_logprobs", "needs logprobs: true");
    }
    if (wanted) {
      data.put("logprobs", body.integer("top_logprobs", 0));
    }
  }

  /** Whether the model goes on with the last message, as vLLM and llama-server can. */
  private static boolean continues(JsonObject body, List<JsonObject> messages) {
    Object wanted = body.get("continue_final_message");
    boolean continues = Boolean.TRUE.equals(wanted) || "content".equals(wanted);
    if (continues && body.flag("add_generation_prompt", false)) {
      throw OpenAiError.invalid(
          "add_generation_prompt", "must be false with continue_final_message");
    }
    if (!continues && !body.flag("add_generation_prompt", true)) {
      throw OpenAiError.invalid(
          "add_generation_prompt", "must be true unless continue_final_message is");
    }
    if (continues && !"assistant".equals(messages.getLast().string("role"))) {
      throw OpenAiError.invalid("continue_final_message", "needs a last message of role assistant");
    }
    return continues;
  }

  /** One request for each choice. */
  List<DirectRequest> choices(Instant now) {
    List<DirectRequest> choices = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      choices.add(new DirectRequest(data, i, now, interactive));
    }
    return choices;
  }
}
