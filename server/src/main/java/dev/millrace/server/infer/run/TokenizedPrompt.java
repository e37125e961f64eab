package dev.millrace.server.infer.run;

import dev.millrace.engine.PromptEncoder;
import dev.millrace.engine.api.ThoughtTags;
import dev.millrace.engine.chat.ChatTemplate;
import dev.millrace.engine.chat.ReasoningSplitter;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.toolcall.ToolCallFormat;
import dev.millrace.server.infer.model.WeightlessModel;
import dev.millrace.server.infer.parameters.EffectiveParameters;
import dev.millrace.server.infer.parameters.GenerateParameters;
import dev.millrace.server.infer.parameters.TaskPrompt;
import dev.millrace.server.infer.parameters.TaskRefused;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The prompt of a task as tokens.
 *
 * @param chat the rendered chat template; null if the prompt is raw
 * @param prefill the beginning of the answer that the prompt ends with; null if it has none
 */
public record TokenizedPrompt(
    int[] tokens, PromptEncoder.@Nullable ChatPrompt chat, @Nullable String prefill) {

  /**
   * The prompt of a new task.
   *
   * @param now the clock of the template
   * @throws TaskRefused if the prompt cannot be rendered
   */
  public static TokenizedPrompt of(WeightlessModel model, GenerateParameters asked, Instant now) {
    EffectiveParameters parameters = EffectiveParameters.of(asked, model.defaults(), 0);
    return of(model.prompts(), asked, parameters, now);
  }

  /**
   * @param now the clock of the template
   * @throws TaskRefused if the prompt cannot be rendered
   */
  static TokenizedPrompt of(
      PromptEncoder prompts,
      GenerateParameters asked,
      EffectiveParameters parameters,
      Instant now) {
    TaskPrompt prompt = asked.prompt();
    if (prompt.tokens() != null) {
      return new TokenizedPrompt(prompt.tokens(), null, null);
    }
    try {
      return prompt.raw() != null
          ? new TokenizedPrompt(prompts.raw(prompt.raw()), null, null)
          : chat(prompts, asked, parameters, now);
    } catch (EngineException e) {
      throw new TaskRefused(
          TaskRefused.Reason.PARAMETER, prompt.parameter(), String.valueOf(e.getMessage()), e);
    }
  }

  private static TokenizedPrompt chat(
      PromptEncoder prompts,
      GenerateParameters asked,
      EffectiveParameters parameters,
      Instant now) {
    TaskPrompt prompt = asked.prompt();
    List<Map<String, @Nullable Object>> tools = prompt.tools();
    ChatTemplate template = prompts.template(tools != null && !tools.isEmpty());
    Map<String, ?> variables =
        TemplateVariables.of(template, prompt.options(), parameters.thinking());
    TemplateInput input =
        TemplateInput.of(template, asked, variables, parameters.rules().namesInText(), now);
    if (!prompt.options().continuesLast()) {
      PromptEncoder.ChatPrompt chat = prompts.chat(input.messages(), input.tools(), variables, now);
      return new TokenizedPrompt(chat.tokens(), chat, null);
    }
    PromptEncoder.ChatPrompt chat =
        prompts.continued(input.messages(), input.tools(), variables, now);
    String begun = String.valueOf(prompt.messages().getLast().get("content"));
    return new TokenizedPrompt(chat.tokens(), chat, begun);
  }

  /** The marks that separate thoughts from the answer; null if all output is answer. */
  @Nullable String thoughtTags() {
    if (chat == null) {
      return null;
    }
    ReasoningSplitter.Tags tags = chat.template().reasoningTags();
    return tags.open() + " " + tags.close();
  }

  /** Whether the template was made for a model that marks its thoughts. */
  boolean knowsThoughts() {
    return chat != null
        && chat.template().source().contains(chat.template().reasoningTags().open());
  }

  /** The thoughts that the output may begin with; null if it is all answer. */
  @Nullable ThoughtTags thoughts() {
    if (chat == null) {
      return null;
    }
    ReasoningSplitter.Tags tags = chat.template().reasoningTags();
    boolean opened = chat.text().stripTrailing().endsWith(tags.open().strip());
    if (prefill != null) {
      opened |= prefill.lastIndexOf(tags.open()) > prefill.lastIndexOf(tags.close());
      return opened ? new ThoughtTags(tags.open(), tags.close(), true) : null;
    }
    return new ThoughtTags(tags.open(), tags.close(), opened);
  }

  /** How the template writes calls. */
  ToolCallFormat callFormat() {
    return chat == null ? ToolCallFormat.GENERIC : ToolCallFormat.usedBy(chat.template().source());
  }
}
