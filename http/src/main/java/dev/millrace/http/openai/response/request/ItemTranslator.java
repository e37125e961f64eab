package dev.millrace.http.openai.response.request;

import dev.millrace.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Translates items into chat messages. Thoughts, a message and calls of the assistant in a row are
 * one message there.
 */
final class ItemTranslator {
  private final List<Map<String, @Nullable Object>> messages = new ArrayList<>();
  private @Nullable String thoughts; // of the assistant's message that is being collected
  private @Nullable String answer; // likewise
  private final List<Object> calls = new ArrayList<>(); // likewise

  private ItemTranslator() {}

  /**
   * @param instructions the first message, of role system; null: none
   */
  static List<Map<String, @Nullable Object>> messages(
      @Nullable String instructions, List<Map<String, @Nullable Object>> items) {
    ItemTranslator translator = new ItemTranslator();
    if (instructions != null) {
      translator.add("system", instructions);
    }
    items.forEach(translator::add);
    translator.endAssistant();
    return translator.messages;
  }

  private void add(Map<String, @Nullable Object> item) {
    switch (String.valueOf(item.get("type"))) {
      case "reasoning" -> {
        endAssistant();
        thoughts = text(item.get("content"));
      }
      case "function_call" -> {
        if (!"incomplete".equals(item.get("status"))) { // its arguments break off
          calls.add(call(item));
        }
      }
      case "function_call_output" -> {
        endAssistant();
        messages.add(
            JsonObject.create()
                .put("role", "tool")
                .put("tool_call_id", item.get("call_id"))
                .put("content", item.get("output"))
                .values());
      }
      default -> message(item);
    }
  }

  private void message(Map<String, @Nullable Object> item) {
    String text = text(item.get("content"));
    if (!"assistant".equals(item.get("role"))) {
      endAssistant();
      add(String.valueOf(item.get("role")), text);
      return;
    }
    if (answer != null || !calls.isEmpty()) {
      endAssistant();
    }
    answer = text;
  }

  private void add(String role, String content) {
    messages.add(JsonObject.create().put("role", role).put("content", content).values());
  }

  private void endAssistant() {
    boolean hasThoughts = thoughts != null && !thoughts.isEmpty();
    if (answer == null && calls.isEmpty() && !hasThoughts) {
      thoughts = null;
      return;
    }
    JsonObject message = JsonObject.create().put("role", "assistant");
    message.put("content", answer == null ? "" : answer);
    if (hasThoughts) {
      message.put("reasoning_content", thoughts);
    }
    if (!calls.isEmpty()) {
      message.put("tool_calls", List.copyOf(calls));
    }
    messages.add(message.values());
    thoughts = null;
    answer = null;
    calls.clear();
  }

  private static Map<String, @Nullable Object> call(Map<String, @Nullable Object> item) {
    return JsonObject.create()
        .put("id", item.get("call_id"))
        .put("type", "function")
        .put(
            "function",
            JsonObject.create()
                .put("name", item.get("name"))
                .put("arguments", item.get("arguments"))
                .values())
        .values();
  }

  private static String text(@Nullable Object content) {
    StringBuilder all = new StringBuilder();
    if (content instanceof List<?> parts) {
      for (Object part : parts) {
        all.append(part instanceof Map<?, ?> fields ? fields.get("text") : "");
      }
    }
    return all.toString();
  }
}
