package dev.millrace.server.infer;

import com.sun.management.OperatingSystemMXBean;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.chat.SpecialTokenRule;
import dev.millrace.server.infer.model.NamedModel;
import dev.millrace.server.infer.model.OperatorDefaults;
import dev.millrace.server.infer.parameters.SamplingParameters;
import dev.millrace.server.infer.shelf.ShelfSettings;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The models that {@link Inference} serves, and how it runs them.
 *
 * @param models at least one; the first suitable one is the default for jobs that name no model
 * @param engine how each model is run; its context is cut to what a model was trained on
 * @param shelf how much memory the loaded models may take, and for how long
 * @param defaults what the operator sets for all models
 */
public record InferenceSettings(
    List<NamedModel> models,
    EngineSettings engine,
    ShelfSettings shelf,
    OperatorDefaults defaults) {

  private static final int CONTEXT = 8192;
  private static final Duration IDLE = Duration.ofMinutes(15);

  public InferenceSettings {
    models = List.copyOf(models);
    if (models.isEmpty()) {
      throw new IllegalArgumentException("models: give at least one");
    }
    Set<String> names = new HashSet<>();
    for (NamedModel model : models) {
      if (!names.add(model.name())) {
        throw new IllegalArgumentException(
            "models: two have the name \"%s\"; give one of them another name (NAME=FILE)"
                .formatted(model.name()));
      }
    }
  }

  /**
   * The defaults: half of the machine's memory, up to 8,192 positions for a sequence (as nrvna),
   * and models are unloaded after 15 minutes without a task.
   */
  public static InferenceSettings of(List<NamedModel> models) {
    return new InferenceSettings(
        models,
        EngineSettings.usual().withContext(CONTEXT),
        new ShelfSettings(physicalMemory() / 2, IDLE),
        OperatorDefaults.unset());
  }

  /** Whether any model is loaded here completely: a model with remote layers cannot embed. */
  public boolean canEmbed() {
    return models.stream().anyMatch(model -> model.remoteOpener() == null);
  }

  /** The memory of the machine, or of the container if that is less. */
  private static long physicalMemory() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
        ? system.getTotalMemorySize()
        : Runtime.getRuntime().maxMemory();
  }

  public InferenceSettings withEngine(EngineSettings newEngine) {
    return new InferenceSettings(models, newEngine, shelf, defaults);
  }

  public InferenceSettings withMemory(long bytes) {
    return new InferenceSettings(models, engine, shelf.withMemory(bytes), defaults);
  }

  public InferenceSettings withIdle(Duration time) {
    return new InferenceSettings(models, engine, shelf.withIdle(time), defaults);
  }

  public InferenceSettings withSampling(SamplingParameters parameters) {
    return new InferenceSettings(models, engine, shelf, defaults.withSampling(parameters));
  }

  /**
   * @param template null: the template in the model file
   */
  public InferenceSettings withChatTemplate(@Nullable String template) {
    return new InferenceSettings(models, engine, shelf, defaults.withChatTemplate(template));
  }

  /** For new tasks; one that has begun keeps the rule of its frozen terms. */
  public InferenceSettings withSpecialTokens(SpecialTokenRule rule) {
    return new InferenceSettings(models, engine, shelf, defaults.withSpecialTokens(rule));
  }
}
