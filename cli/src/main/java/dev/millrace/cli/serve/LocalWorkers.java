package dev.millrace.cli.serve;

import dev.millrace.cli.model.InferenceOpener;
import dev.millrace.core.json.JsonObject;
import dev.millrace.server.Worker;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import java.util.List;

/**
 * The workers of a server in this process.
 *
 * @param slots how many tasks to claim at once
 * @param info what other processes learn about the server
 * @param onClose frees the workers; may be called twice
 */
public record LocalWorkers(List<Worker> workers, int slots, JsonObject info, Runnable onClose)
    implements AutoCloseable {

  /** Workers with models of this machine. */
  public static LocalWorkers of(InferenceSettings settings) {
    JsonObject info =
        ServerInfo.of(settings, ServeWorkerSettings.MODEL_TYPES, settings.engine().slots());
    Inference inference = InferenceOpener.open(settings);
    return new LocalWorkers(inference.workers(), inference.slots(), info, inference::close);
  }

  @Override
  public void close() {
    onClose.run();
  }
}
