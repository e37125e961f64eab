package dev.millrace.client.worker;

import java.time.Duration;

/**
 * When a circuit breaker opens, and for how long. Then it lets one call through, which closes the
 * breaker or opens it again.
 *
 * @param errorPercent the share of failed calls in the window that opens the breaker, 1 to 100
 * @param window how far back calls count, in whole seconds
 * @param reset how long the breaker stays open
 * @param volume the fewest calls in the window for the breaker to open
 */
public record BreakerSettings(
    boolean enabled, int errorPercent, Duration window, Duration reset, int volume) {

  public static final BreakerSettings DEFAULT =
      new BreakerSettings(true, 50, Duration.ofSeconds(60), Duration.ofSeconds(30), 5);

  public static final BreakerSettings OFF =
      new BreakerSettings(
          false, DEFAULT.errorPercent(), DEFAULT.window(), DEFAULT.reset(), DEFAULT.volume());

  public BreakerSettings {
    if (errorPercent < 1 || errorPercent > 100) {
      throw new IllegalArgumentException("errorPercent must be 1 to 100, got " + errorPercent);
    }
    if (window.toSeconds() < 1 || reset.isNegative() || reset.isZero() || volume < 1) {
      throw new IllegalArgumentException(
          "window must be at least 1 s, reset longer than 0 and volume at least 1, got "
              + window
              + ", "
              + reset
              + " and "
              + volume);
    }
  }

  public BreakerSettings reset(Duration value) {
    return new BreakerSettings(enabled, errorPercent, window, value, volume);
  }

  public BreakerSettings volume(int value) {
    return new BreakerSettings(enabled, errorPercent, window, reset, value);
  }
}
