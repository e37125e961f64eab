package dev.millrace.server.infer.run;

import dev.millrace.engine.chat.ChatTemplate;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.toolcall.ToolCallFormat;
import dev.millrace.server.infer.parameters.GenerateParameters;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A conversation in the form that a chat template can show: what it does not write itself is in the
 * texts of the messages. Thoughts of earlier answers are not: most templates leave them out.
 *
 * @param tools for the template; null if it gets none
 */
record TemplateInput(
    List<Map<String, @Nullable Object>> messages,
    @Nullable List<Map<String, @Nullable Object>> tools) {

  /**
   * @param variables further variables of the template
   * @param names whether names of messages are written if the template does not
   * @param now the clock of the template
   * @throws EngineException if the template rejects the messages
   */
  static TemplateInput of(
      ChatTemplate template,
      GenerateParameters asked,
      Map<String, ?> variables,
      boolean names,
      Instant now) {
    ToolCallFormat asks = asked.tools().format();
    ToolCallFormat format = asks == null ? ToolCallFormat.usedBy(template.source()) : asks;
    List<Map<String, @Nullable Object>> messages = asked.prompt().messages();
    List<Map<String, @Nullable Object>> given = asked.prompt().tools();
    boolean hasTools = given != null && !given.isEmpty();
    boolean showsTools = hasTools && ToolInstructions.areShownBy(template);
    List<Map<String, @Nullable Object>> tools = showsTools ? given : null;
    if (!CallTranscript.isWrittenBy(template)) {
      messages = CallTranscript.write(messages, format);
    }
    if (names && ParticipantNames.areIn(messages)) {
      messages =
          ParticipantNames.write(
              messages, marked -> template.render(marked, tools, variables, true, now).text());
    }
    if (given != null && hasTools && !showsTools) {
      messages = ToolInstructions.addTo(messages, given, format);
    }
    return new TemplateInput(messages, tools);
  }
}
