package dev.millrace.server.infer.model;

import dev.millrace.engine.chat.SpecialTokenRule;
import dev.millrace.server.infer.parameters.SamplingParameters;
import org.jspecify.annotations.Nullable;

/**
 * What the operator of a server sets for all its models.
 *
 * @param sampling the parameters of tasks that do not set them
 * @param chatTemplate in Jinja, used instead of the template in the model file; null: the file's
 * @param specialTokens where special tokens are found in the conversations of new tasks
 */
public record OperatorDefaults(
    SamplingParameters sampling, @Nullable String chatTemplate, SpecialTokenRule specialTokens) {

  /** Leaves everything to the tasks and the model files. */
  public static OperatorDefaults unset() {
    return new OperatorDefaults(SamplingParameters.unset(), null, SpecialTokenRule.TEMPLATE);
  }

  public OperatorDefaults withSampling(SamplingParameters parameters) {
    return new OperatorDefaults(parameters, chatTemplate, specialTokens);
  }

  public OperatorDefaults withChatTemplate(@Nullable String template) {
    return new OperatorDefaults(sampling, template, specialTokens);
  }

  public OperatorDefaults withSpecialTokens(SpecialTokenRule rule) {
    return new OperatorDefaults(sampling, chatTemplate, rule);
  }
}
