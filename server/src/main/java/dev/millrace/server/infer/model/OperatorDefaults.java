package dev.millrace.server.infer.model;

import dev.millrace.server.infer.parameters.SamplingParameters;
import org.jspecify.annotations.Nullable;

/**
 * What the operator of a server sets for all its models.
 *
 * @param sampling the parameters of tasks that do not set them
 * @param chatTemplate in Jinja, used instead of the template in the model file; null: the file's
 */
public record OperatorDefaults(SamplingParameters sampling, @Nullable String chatTemplate) {

  /** Leaves everything to the tasks and the model files. */
  public static OperatorDefaults unset() {
    return new OperatorDefaults(SamplingParameters.unset(), null);
  }

  public OperatorDefaults withSampling(SamplingParameters parameters) {
    return new OperatorDefaults(parameters, chatTemplate);
  }

  public OperatorDefaults withChatTemplate(@Nullable String template) {
    return new OperatorDefaults(sampling, template);
  }
}
