package dev.millrace.server.infer.shelf;

import java.time.Duration;

/**
 * How long a request waits for a model that needs the memory of one in use. Until then, the model in
 * use is lent to all that ask for it, so that work is grouped by model; from then on it is not lent
 * any more, and is unloaded as soon as it is not used.
 *
 * @param queue for a task of the queue
 * @param interactive for a request that somebody waits for
 */
public record ModelSwitchBounds(Duration queue, Duration interactive) {
  /** The next request that needs memory gets it as soon as possible. */
  public static final ModelSwitchBounds NONE = new ModelSwitchBounds(Duration.ZERO, Duration.ZERO);

  public ModelSwitchBounds {
    if (queue.isNegative() || interactive.isNegative()) {
      throw new IllegalArgumentException(
          "bounds must not be negative, got %s and %s".formatted(queue, interactive));
    }
  }

  /** Half a minute for tasks, 2 seconds for interactive requests. */
  public static ModelSwitchBounds usual() {
    return new ModelSwitchBounds(Duration.ofSeconds(30), Duration.ofSeconds(2));
  }

  long nanos(boolean isInteractive) {
    return (isInteractive ? interactive : queue).toNanos();
  }
}
