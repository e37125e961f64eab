package dev.millrace.http.openai.request;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.route.Problem;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Translates chat messages of a request into those of a generate task: only the fields that
 * templates read, and text only.
 */
public final class ChatMessages {
  private static final List<String> KEPT =
      List.of("role", "name", "tool_calls", "tool_call_id", "reasoning_content");

  private ChatMessages() {}

  /**
   * @param param the name of the field, for errors
   * @throws Problem that names the message and the part that is not supported
   */
  public static List<JsonObject> of(List<@Nullable Object> given, String param) {
    List<JsonObject> messages = new ArrayList<>();
    for (int i = 0; i < given.size(); i++) {
      String at = param + "[" + i + "]";
      messages.add(message(JsonObject.of(given.get(i), at), at));
    }
    return messages;
  }

  private static JsonObject message(JsonObject given, String at) {
    JsonObject message = JsonObject.create();
    KEPT.forEach(name -> message.putIfPresent(name, given.get(name)));
    if (!message.has("reasoning_content")) {
      message.putIfPresent("reasoning_content", given.get("reasoning"));
    }
    if (message.get("tool_calls") instanceof List<?> calls && calls.isEmpty()) {
      message.values().remove("tool_calls"); // clients send back messages with empty lists
    }
    for (String refused : List.of("audio", "function_call")) {
      if (given.has(refused)) {
        throw OpenAiError.unsupported(
            at + "." + refused, "is not supported: messages have text and tool_calls");
      }
    }
    String content = content(given.get("content"), at + ".content");
    message.putIfPresent("content", content == null ? given.string("refusal", null) : content);
    if (!message.has("content") && !message.has("tool_calls")) {
      message.put("content", requiredContent(given, at));
    }
    return message;
  }

  /** Only an assistant may say nothing, if it has thoughts or was cut. */
  private static String requiredContent(JsonObject given, String at) {
    if ("assistant".equals(given.string("role"))) {
      return "";
    }
    throw OpenAiError.invalid(at + ".content", "is required");
  }

  private static @Nullable String content(@Nullable Object content, String at) {
    if (!(content instanceof List<?> parts)) {
      return (String) content;
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < parts.size(); i++) {
      JsonObject part = JsonObject.of(parts.get(i), at);
      switch (part.string("type")) {
        case "text" -> text.append(part.string("text"));
        case "refusal" -> text.append(part.string("refusal"));
        case String type ->
            throw OpenAiError.unsupported(
                at + "[" + i + "].type",
                "is \"" + type + "\"; this server reads parts of type text only");
      }
    }
    return text.toString();
  }
}
