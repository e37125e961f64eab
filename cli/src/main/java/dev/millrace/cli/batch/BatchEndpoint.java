package dev.millrace.cli.batch;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The endpoints of OpenAI that a batch can use, with their task types and answer formats. */
enum BatchEndpoint {
  CHAT("/v1/chat/completions", "generate"),
  COMPLETION("/v1/completions", "generate"),
  EMBEDDING("/v1/embeddings", "embed");

  private final String url;
  private final String type;

  BatchEndpoint(String url, String type) {
    this.url = url;
    this.type = type;
  }

  String url() {
    return url;
  }

  /** The type of its tasks. */
  String type() {
    return type;
  }

  /** The field of a body that has the input. */
  String subject() {
    return switch (this) {
      case CHAT -> "messages";
      case COMPLETION -> "prompt";
      case EMBEDDING -> "input";
    };
  }

  static @Nullable BatchEndpoint of(@Nullable Object url) {
    for (BatchEndpoint each : values()) {
      if (each.url.equals(url)) {
        return each;
      }
    }
    return null;
  }

  static String known() {
    return String.join(", ", List.of(CHAT.url, COMPLETION.url, EMBEDDING.url));
  }

  /**
   * The body of an answer.
   *
   * @param key makes the id unique
   * @param created seconds since 1970
   */
  JsonObject body(String key, long created, TaskResult result) {
    JsonObject receipt = result.receipt() == null ? JsonObject.create() : result.receipt();
    return switch (this) {
      case CHAT ->
          generated("chatcmpl-" + key, "chat.completion", created, receipt)
              .put(
                  "choices",
                  List.of(
                      JsonObject.create()
                          .put("index", 0)
                          .put("message", message(result.text(), receipt))
                          .put("logprobs", null)
                          .put("finish_reason", reason(receipt))))
              .put("usage", usage(receipt, true));
      case COMPLETION ->
          generated("cmpl-" + key, "text_completion", created, receipt)
              .put(
                  "choices",
                  List.of(
                      JsonObject.create()
                          .put("index", 0)
                          .put("text", result.text())
                          .put("logprobs", null)
                          .put("finish_reason", reason(receipt))))
              .put("usage", usage(receipt, true));
      case EMBEDDING -> embedding(result, receipt);
    };
  }

  private static JsonObject generated(String id, String object, long created, JsonObject receipt) {
    return JsonObject.create()
        .put("id", id)
        .put("object", object)
        .put("created", created)
        .put("model", receipt.get("model"));
  }

  private static JsonObject message(String text, JsonObject receipt) {
    return JsonObject.create()
        .put("role", "assistant")
        .put("content", text)
        .putIfPresent("reasoning_content", receipt.get("thoughts"));
  }

  private static String reason(JsonObject receipt) {
    return "length".equals(receipt.get("finish_reason")) ? "length" : "stop";
  }

  private static JsonObject embedding(TaskResult result, JsonObject receipt) {
    return JsonObject.create()
        .put("object", "list")
        .put(
            "data",
            List.of(
                JsonObject.create()
                    .put("object", "embedding")
                    .put("index", 0)
                    .put("embedding", BatchOutput.vector(result.text()))))
        .put("model", receipt.get("model"))
        .put("usage", usage(receipt, false));
  }

  private static JsonObject usage(JsonObject receipt, boolean completion) {
    long prompt = receipt.integer("prompt_tokens", 0);
    long generated = completion ? receipt.integer("completion_tokens", 0) : 0;
    JsonObject usage = JsonObject.create().put("prompt_tokens", prompt);
    if (completion) {
      usage.put("completion_tokens", generated);
    }
    return usage.put("total_tokens", prompt + generated);
  }
}
