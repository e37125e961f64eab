package dev.millrace.server.infer.run;

import dev.millrace.engine.chat.ChatTemplate;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.parameters.TemplateOptions;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The variables that a chat template gets beside messages and tools. */
final class TemplateVariables {
  private static final Pattern LEVELS = Pattern.compile("\\breasoning_effort\\b");

  /** Qwen's switch, and that of DeepSeek. */
  private static final Pattern SWITCH =
      Pattern.compile("\\benable_thinking\\b|\\b(not )?thinking is (not )?defined\\b");

  private TemplateVariables() {}

  /**
   * @throws TaskRefused if an effort is asked for that the template has no switch for
   */
  static Map<String, @Nullable Object> of(
      ChatTemplate template, TemplateOptions options, boolean thinking) {
    Map<String, @Nullable Object> variables = new HashMap<>(options.variables());
    variables.put("enable_thinking", thinking);
    String effort = options.effort();
    if (effort != null) {
      boolean levels = LEVELS.matcher(template.source()).find() && !effort.equals("none");
      boolean hasSwitch = SWITCH.matcher(template.source()).find();
      if (!levels && !hasSwitch) {
        throw TaskRefused.ofParameter(
            "reasoning_effort",
            "parameter \"reasoning_effort\" is \"%s\"; the chat template of this model has no switch for it"
                .formatted(effort));
      }
      variables.put("reasoning_effort", effort);
      variables.put("thinking", thinking);
    }
    return variables;
  }
}
