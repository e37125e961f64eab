package dev.millrace.http.openai.request;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.route.Problem;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
    Set<String> calls = new HashSet<>();
    for (int i = 0; i < given.size(); i++) {
      String at = param + "[" + i + "]";
      JsonObject message = message(JsonObject.of(given.get(i), at), at);
      calls.addAll(callIds(message.list("tool_calls"), at + ".tool_calls"));
      String answered = message.string("tool_call_id", null);
      if (answered != null && !calls.contains(answered)) {
        throw OpenAiError.invalid(
            at + ".tool_call_id",
            "is %s, and no earlier message has such a call in tool_calls"
                .formatted(OpenAiError.quoted(answered)));
      }
      messages.add(message);
    }
    return messages;
  }

  private static List<String> callIds(List<@Nullable Object> calls, String at) {
    List<String> ids = new ArrayList<>();
    for (Object each : calls) {
      String path = at + "[" + ids.size() + "]";
      JsonObject call = JsonObject.of(each, path);
      ids.add(call.string("id"));
      CallArguments.require(
          call.object("function").string("arguments"), path + ".function.arguments");
    }
    return ids;
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
    boolean assistant = given.string("role").equals("assistant");
    String content = content(given.get("content"), at + ".content", assistant);
    message.putIfPresent("content", content == null ? given.string("refusal", null) : content);
    if (message.has("content") || message.has("tool_calls")) {
      return message;
    }
    if (!message.has("reasoning_content")) {
      String unless = assistant ? " unless there are tool_calls" : "";
      throw OpenAiError.missing(at + ".content", unless);
    }
    return message.put("content", ""); // it was cut while it was thinking
  }

  private static @Nullable String content(@Nullable Object content, String at, boolean assistant) {
    if (!(content instanceof List<?> parts)) {
      return (String) content;
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < parts.size(); i++) {
      text.append(text(JsonObject.of(parts.get(i), at), at + "[" + i + "]", assistant));
    }
    return text.toString();
  }

  private static String text(JsonObject part, String at, boolean assistant) {
    String type = part.string("type");
    if (!type.equals("text") && !(assistant && type.equals("refusal"))) {
      throw OpenAiError.unsupported(
          at + ".type",
          "is " + OpenAiError.quoted(type) + "; this server reads parts of type text only");
    }
    if (!part.has(type)) {
      throw OpenAiError.missing(at + "." + type);
    }
    for (String name : part.values().keySet()) {
      if (!name.equals("type") && !name.equals(type) && part.has(name)) {
        throw OpenAiError.unknown(at + "." + name, "a part of type " + type);
      }
    }
    return part.string(type);
  }
}
