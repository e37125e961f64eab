package dev.millrace.server.infer.shelf;

import dev.millrace.server.infer.parameters.TaskRefused;

/**
 * The memory that all models together may take, in bytes.
 *
 * @param reserved taken by models that are never unloaded
 */
public record ModelMemoryBudget(long total, long reserved) {

  /** The part for models that are loaded and unloaded. */
  long available() {
    return total - reserved;
  }

  /**
   * @throws TaskRefused if a model can never fit
   */
  public void checkFits(String model, long bytes) {
    if (bytes > available()) {
      throw new TaskRefused(
          "model \"%s\" needs %s with its cache, and all models together may take %s%s; allow more memory, a smaller context or fewer slots"
              .formatted(
                  model,
                  ByteFormat.format(bytes),
                  ByteFormat.format(total),
                  reserved == 0
                      ? ""
                      : ", of which %s are reserved".formatted(ByteFormat.format(reserved))));
    }
  }
}
