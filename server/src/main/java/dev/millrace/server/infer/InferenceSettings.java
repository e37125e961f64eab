package dev.millrace.server.infer;

import com.sun.management.OperatingSystemMXBean;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.server.infer.model.ModelFile;
import dev.millrace.server.infer.parameters.SamplingParameters;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What an inference worker is made of.
 *
 * @param models at least one; the first that can is the default for jobs that name none
 * @param engine how each model is run; a context is cut to what a model was trained on
 * @param memory bytes for weights and caches of all loaded models together
 * @param idle a model that nobody used for so long is unloaded
 * @param defaults what jobs get that do not say
 */
public record InferenceSettings(
    List<ModelFile> models,
    EngineSettings engine,
    long memory,
    Duration idle,
    SamplingParameters defaults) {

  private static final int CONTEXT = 8192;

  public InferenceSettings {
    models = List.copyOf(models);
    if (models.isEmpty()) {
      throw new IllegalArgumentException("models: give at least one");
    }
    Set<String> names = new HashSet<>();
    for (ModelFile model : models) {
      if (!names.add(model.name())) {
        throw new IllegalArgumentException(
            "models: two are called \"%s\"; give one of them another name (NAME=FILE)"
                .formatted(model.name()));
      }
    }
    if (memory < 1) {
      throw new IllegalArgumentException("memory must be at least 1 byte, got " + memory);
    }
    if (idle.isNegative() || idle.isZero()) {
      throw new IllegalArgumentException("idle must be longer than 0, got " + idle);
    }
  }

  /**
   * Half of the machine's memory; up to 8,192 positions a sequence, as nrvna has it; models leave
   * after 15 minutes without work.
   */
  public static InferenceSettings of(List<ModelFile> models) {
    return new InferenceSettings(
        models,
        EngineSettings.usual().withContext(CONTEXT),
        physicalMemory() / 2,
        Duration.ofMinutes(15),
        SamplingParameters.unset());
  }

  /** Whether any model is wholly here: one whose layers are with others gives no vectors. */
  public boolean canEmbed() {
    return models.stream().anyMatch(model -> model.remoteOpener() == null);
  }

  /** Of the machine, or of the container where that has less. */
  private static long physicalMemory() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
        ? system.getTotalMemorySize()
        : Runtime.getRuntime().maxMemory();
  }

  public InferenceSettings withEngine(EngineSettings newEngine) {
    return new InferenceSettings(models, newEngine, memory, idle, defaults);
  }

  public InferenceSettings withMemory(long bytes) {
    return new InferenceSettings(models, engine, bytes, idle, defaults);
  }

  public InferenceSettings withIdle(Duration time) {
    return new InferenceSettings(models, engine, memory, time, defaults);
  }

  public InferenceSettings withDefaults(SamplingParameters newDefaults) {
    return new InferenceSettings(models, engine, memory, idle, newDefaults);
  }
}
