package dev.millrace.cli.serve;

import dev.millrace.cli.model.InferenceOpener;
import dev.millrace.core.json.JsonObject;
import dev.millrace.server.Worker;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The workers of a server in this process.
 *
 * @param slots how many tasks to claim at once
 * @param generatedTokens how many tokens it has generated
 * @param info what other processes learn about the server
 * @param onClose frees the workers; may be called twice
 */
public record LocalWorkers(
    List<Worker> workers,
    int slots,
    LongSupplier generatedTokens,
    JsonObject info,
    Runnable onClose)
    implements AutoCloseable {

  /** Workers with models of this machine. */
  public static LocalWorkers of(InferenceSettings settings) {
    JsonObject info =
        ServerInfo.of(settings, ServeWorkerSettings.MODEL_TYPES, settings.engine().slots());
    Inference inference = InferenceOpener.open(settings);
    return new LocalWorkers(
        inference.workers(),
        inference.slots(),
        () -> inference.stats().tokens().generated(),
        info,
        inference::close);
  }

  @Override
  public void close() {
    onClose.run();
  }
}
