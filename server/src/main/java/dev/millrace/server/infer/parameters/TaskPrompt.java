package dev.millrace.server.infer.parameters;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The prompt of a task: raw text, its tokens, or chat messages.
 *
 * @param raw text that the model continues, without a template; null if there is none
 * @param tokens that the model continues; null if there are none
 * @param messages for the chat template; empty if the prompt is raw
 * @param tools shown to the model; null for none
 */
public record TaskPrompt(
    @Nullable String raw,
    int @Nullable [] tokens,
    List<Map<String, @Nullable Object>> messages,
    @Nullable List<Map<String, @Nullable Object>> tools,
    TemplateOptions options) {

  static final Set<String> NAMES = Set.of("prompt", "prompt_tokens", "messages", "system", "raw");
  private static final List<String> CHAT_ONLY =
      List.of(
          "messages",
          "system",
          "tools",
          "reasoning_effort",
          "continue_final_message",
          "chat_template_kwargs");

  /** The raw text, or that of the last message; null if it has none. */
  @Nullable String lastText() {
    if (raw != null || tokens != null) {
      return raw;
    }
    return messages.getLast().get("content") instanceof String content ? content : null;
  }

  boolean hasNames() {
    return messages.stream().anyMatch(message -> message.get("name") != null);
  }

  /** A model that does not see the tools does not call them. */
  TaskPrompt withoutTools() {
    return new TaskPrompt(raw, tokens, messages, null, options);
  }

  /** The name of the parameter that has the prompt. */
  public String parameter() {
    return tokens != null ? "prompt_tokens" : raw != null ? "prompt" : "messages";
  }

  static TaskPrompt of(ParameterReader fields) {
    fields.rejectBoth("prompt", "messages");
    int[] tokens = fields.tokens("prompt_tokens");
    if (tokens != null) {
      return ofTokens(fields, tokens);
    }
    String prompt = fields.text("prompt");
    var messages = fields.objects("messages", ChatMessageNormalizer.FORM);
    var tools = fields.objects("tools", ToolParameters.FORM);
    if (messages == null && (prompt == null || prompt.isEmpty())) {
      throw empty("prompt");
    }
    if (Boolean.TRUE.equals(fields.flag("raw"))) {
      CHAT_ONLY.forEach(other -> fields.rejectBoth("raw", other));
      return new TaskPrompt(prompt, null, List.of(), null, TemplateOptions.NONE);
    }
    TemplateOptions options = TemplateOptions.of(fields);
    var all = messages(fields, prompt, messages);
    if (options.continuesLast()) {
      requireContinuable(all.getLast());
    }
    return new TaskPrompt(null, null, all, tools, options);
  }

  private static TaskPrompt ofTokens(ParameterReader fields, int[] tokens) {
    fields.rejectBoth("prompt_tokens", "prompt");
    CHAT_ONLY.forEach(other -> fields.rejectBoth("prompt_tokens", other));
    if (tokens.length == 0) {
      throw empty("prompt_tokens");
    }
    return new TaskPrompt(null, tokens, List.of(), null, TemplateOptions.NONE);
  }

  private static TaskRefused empty(String parameter) {
    return TaskRefused.ofParameter(parameter, "Empty prompt");
  }

  private static void requireContinuable(Map<String, @Nullable Object> last) {
    boolean fits =
        "assistant".equals(last.get("role"))
            && last.get("tool_calls") == null
            && last.get("content") instanceof String content
            && !content.isBlank();
    if (!fits) {
      throw TaskRefused.ofParameter(
          "continue_final_message",
          "parameter \"continue_final_message\" needs a last message of role assistant that has"
              + " text and no calls");
    }
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
        throw TaskRefused.ofParameter(
            "system",
            "parameter \"system\" is given beside a message of role system; give one of them");
      }
      all.add(message);
    }
    if (given.isEmpty()) {
      throw empty("messages");
    }
    return all;
  }
}
