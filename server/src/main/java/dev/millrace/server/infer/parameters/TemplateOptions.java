package dev.millrace.server.infer.parameters;

import dev.millrace.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a chat template gets beside the messages.
 *
 * @param effort how much to reason; null: as the template does by itself
 * @param continuesLast whether the model continues the last message instead of answering it
 * @param variables further variables of the template
 */
public record TemplateOptions(
    @Nullable String effort, boolean continuesLast, Map<String, @Nullable Object> variables) {
  static final Set<String> NAMES =
      Set.of("reasoning_effort", "continue_final_message", "chat_template_kwargs");
  static final TemplateOptions NONE = new TemplateOptions(null, false, Map.of());

  private static final List<String> EFFORTS =
      List.of("none", "minimal", "low", "medium", "high", "xhigh", "max");
  private static final Set<String> OWN = Set.of("messages", "tools", "add_generation_prompt");
  private static final String THINKING = "enable_thinking";

  static TemplateOptions of(ParameterReader fields) {
    String effort = fields.text("reasoning_effort");
    if (effort != null && !EFFORTS.contains(effort)) {
      throw ParameterReader.invalid(
          "reasoning_effort", effort, "one of " + String.join(", ", EFFORTS));
    }
    fields.rejectBoth("reasoning_effort", "thinking");
    Map<String, @Nullable Object> variables = new LinkedHashMap<>(given(fields));
    variables.remove(THINKING); // it is the parameter thinking: see thinking()
    return new TemplateOptions(
        effort, Boolean.TRUE.equals(fields.flag("continue_final_message")), variables);
  }

  private static Map<String, @Nullable Object> given(ParameterReader fields) {
    String rule = "an object of variables of the chat template";
    Object given = fields.get("chat_template_kwargs");
    if (given == null) {
      return Map.of();
    }
    if (!(given instanceof Map<?, ?>)) {
      throw ParameterReader.invalid("chat_template_kwargs", given, rule);
    }
    Map<String, @Nullable Object> all = JsonObject.of(given, "chat_template_kwargs").values();
    for (String name : all.keySet()) {
      if (OWN.contains(name)) {
        throw ParameterReader.invalid(
            "chat_template_kwargs", name, rule + ", without messages and tools");
      }
    }
    return all;
  }

  /** Whether the model is to think; null if the task leaves that open. */
  static @Nullable Boolean thinking(ParameterReader fields) {
    Object variable = given(fields).get(THINKING);
    if (variable == null) {
      String effort = fields.text("reasoning_effort");
      return effort == null ? fields.flag("thinking") : Boolean.valueOf(!effort.equals("none"));
    }
    if (!(variable instanceof Boolean thinking)) {
      throw ParameterReader.invalid(
          "chat_template_kwargs: enable_thinking", variable, "true or false");
    }
    for (String other : List.of("thinking", "reasoning_effort")) {
      fields.rejectBoth("chat_template_kwargs", other);
    }
    return thinking;
  }
}
