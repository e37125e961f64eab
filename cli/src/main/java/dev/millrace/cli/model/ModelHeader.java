package dev.millrace.cli.model;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.gguf.GgufException;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.ModelSummary;
import org.jspecify.annotations.Nullable;

/**
 * What the header of a model's file says; the weights are not read.
 *
 * @param summary null if the file cannot be read
 * @param fit null if the engine cannot run the model
 * @param error why it cannot be read or run; null if it can
 */
public record ModelHeader(
    ListedModel model,
    @Nullable ModelSummary summary,
    @Nullable ModelFit fit,
    @Nullable String error) {

  public static ModelHeader read(ListedModel model, MachineMemory memory) {
    try (Gguf file = Gguf.open(model.file())) {
      ModelSummary summary = ModelSummary.of(file);
      try {
        return new ModelHeader(model, summary, ModelFit.of(file, model.bytes(), memory), null);
      } catch (EngineException e) {
        return new ModelHeader(model, summary, null, e.getMessage());
      }
    } catch (GgufException e) {
      return new ModelHeader(model, null, null, e.getMessage());
    }
  }
}
