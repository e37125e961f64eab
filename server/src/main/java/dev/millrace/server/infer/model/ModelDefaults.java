package dev.millrace.server.infer.model;

import dev.millrace.server.infer.parameters.SamplingParameters;
import org.jspecify.annotations.Nullable;

/**
 * What the operator of a server sets for all its models.
 *
 * @param sampling the parameters of tasks that do not set them
 * @param chatTemplate in Jinja, used instead of the template in the model file; null: the file's
 */
public record ModelDefaults(SamplingParameters sampling, @Nullable String chatTemplate) {

  /** Leaves everything to the tasks and the model files. */
  public static ModelDefaults unset() {
    return new ModelDefaults(SamplingParameters.unset(), null);
  }

  public ModelDefaults withSampling(SamplingParameters parameters) {
    return new ModelDefaults(parameters, chatTemplate);
  }

  public ModelDefaults withChatTemplate(@Nullable String template) {
    return new ModelDefaults(sampling, template);
  }
}
