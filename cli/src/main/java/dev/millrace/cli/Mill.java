package dev.millrace.cli;

import dev.millrace.core.json.JsonObject;
import dev.millrace.server.Worker;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * What a server in this process works with.
 *
 * @param slots how many tasks to claim at once
 * @param generated how many tokens it has generated
 * @param info what other processes are told of the server
 * @param end frees it; may be called twice
 */
record Mill(List<Worker> workers, int slots, LongSupplier generated, JsonObject info, Runnable end)
    implements AutoCloseable {

  /** Models of this machine. */
  static Mill of(InferenceSettings settings) {
    JsonObject info =
        ServeSettings.info(settings, ServeSettings.MODEL_TYPES, settings.engine().slots());
    Inference inference = ModelLoading.open(settings);
    return new Mill(
        inference.workers(),
        inference.slots(),
        () -> inference.stats().generatedTokens(),
        info,
        inference::close);
  }

  @Override
  public void close() {
    end.run();
  }
}
