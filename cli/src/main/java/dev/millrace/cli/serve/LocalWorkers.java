package dev.millrace.cli.serve;

import dev.millrace.cli.model.InferenceOpener;
import dev.millrace.core.json.JsonObject;
import dev.millrace.server.Worker;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a server in this process.
 *
 * @param slots how many tasks to claim at once
 * @param info what other processes learn about the server
 * @param inference the models; null if there are none
 * @param onClose frees the workers; may be called twice
 */
public record LocalWorkers(
    List<Worker> workers,
    int slots,
    JsonObject info,
    @Nullable Inference inference,
    Runnable onClose)
    implements AutoCloseable {

  /** Workers without models. */
  public LocalWorkers(List<Worker> workers, int slots, JsonObject info, Runnable onClose) {
    this(workers, slots, info, null, onClose);
  }

  /** Workers with models of this machine. */
  public static LocalWorkers of(InferenceSettings settings) {
    JsonObject info =
        ServerInfo.of(settings, ServeWorkerSettings.MODEL_TYPES, settings.engine().slots());
    Inference inference = InferenceOpener.open(settings);
    return new LocalWorkers(
        inference.workers(), inference.slots(), info, inference, inference::close);
  }

  @Override
  public void close() {
    onClose.run();
  }
}
