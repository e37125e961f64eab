package dev.millrace.server.infer.shelf;

import dev.millrace.server.infer.parameters.TaskRefused;

/**
 * How many bytes models may take together.
 *
 * @param taken by those that stay, whoever needs room
 */
public record ModelMemoryBudget(long total, long reserved) {

  /** For those that come and go. */
  long available() {
    return total - reserved;
  }

  /**
   * @throws TaskRefused if a model that comes and goes can never have room
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
                      : ", of which %s are taken".formatted(ByteFormat.format(reserved))));
    }
  }
}
