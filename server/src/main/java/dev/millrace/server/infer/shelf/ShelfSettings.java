package dev.millrace.server.infer.shelf;

import java.time.Duration;

/**
 * How much memory loaded models may take, and how long an unused one stays.
 *
 * @param memory bytes for the weights and caches of all loaded models together
 * @param idle a model that no task used for this long is unloaded
 * @param switching how long a request waits before another model has to make room for it
 */
public record ShelfSettings(long memory, Duration idle, ModelSwitchBounds switching) {
  public ShelfSettings {
    if (memory < 1) {
      throw new IllegalArgumentException("memory must be at least 1 byte, got " + memory);
    }
    if (idle.isNegative() || idle.isZero()) {
      throw new IllegalArgumentException("idle must be longer than 0, got " + idle);
    }
  }

  /** Settings with the usual bounds. */
  public ShelfSettings(long memory, Duration idle) {
    this(memory, idle, ModelSwitchBounds.usual());
  }

  public ShelfSettings withMemory(long bytes) {
    return new ShelfSettings(bytes, idle, switching);
  }

  public ShelfSettings withIdle(Duration time) {
    return new ShelfSettings(memory, time, switching);
  }
}
