package dev.millrace.server.infer.parameters;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The prompt of a task: raw text or chat messages.
 *
 * @param raw text that the model continues, without a template; null if there are messages
 * @param messages for the chat template; empty if the prompt is raw
 * @param tools that the model may call; null for none
 */
public record TaskPrompt(
    @Nullable String raw,
    List<Map<String, @Nullable Object>> messages,
    @Nullable List<Map<String, @Nullable Object>> tools) {

  static final Set<String> NAMES = Set.of("prompt", "messages", "system", "raw", "tools");

  /** The raw text, or that of the last message; null if it has none. */
  @Nullable String lastText() {
    return raw != null
        ? raw
        : messages.getLast().get("content") instanceof String content ? content : null;
  }

  static TaskPrompt of(ParameterReader fields) {
    fields.rejectBoth("prompt", "messages");
    String prompt = fields.text("prompt");
    var messages = fields.objects("messages", ChatMessageNormalizer.FORM);
    var tools = fields.objects("tools", "a list of functions, each an object");
    if (messages == null && (prompt == null || prompt.isEmpty())) {
      throw new TaskRefused("Empty prompt");
    }
    if (Boolean.TRUE.equals(fields.flag("raw"))) {
      for (String other : List.of("messages", "system", "tools")) {
        fields.rejectBoth("raw", other);
      }
      return new TaskPrompt(prompt, List.of(), null);
    }
    return new TaskPrompt(null, messages(fields, prompt, messages), tools);
  }

  private static List<Map<String, @Nullable Object>> messages(
      ParameterReader fields,
      @Nullable String prompt,
      @Nullable List<Map<String, @Nullable Object>> given) {
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    String system = fields.text("system");
    if (system != null) {
      all.add(Map.of("role", "system", "content", system));
    }
    if (given == null) {
      all.add(Map.of("role", "user", "content", String.valueOf(prompt)));
      return all;
    }
    for (Map<String, @Nullable Object> each : given) {
      Map<String, @Nullable Object> message = ChatMessageNormalizer.normalize(each);
      if (system != null && "system".equals(message.get("role"))) {
        throw new TaskRefused(
            "parameter \"system\" is given beside a message of role system; give one of them");
      }
      all.add(message);
    }
    if (given.isEmpty()) {
      throw new TaskRefused("Empty prompt");
    }
    return all;
  }
}
