package dev.millrace.client.worker;

import java.time.Duration;

/**
 * When a circuit breaker opens and how long it stays so. Afterwards one call is let through: it
 * closes the breaker, or opens it again.
 *
 * @param errorPercent how many of the calls in the window must have failed, 1 to 100
 * @param window how far back calls count, in whole seconds
 * @param reset how long it stays open
 * @param volume calls in the window below which it does not open
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
          "a breaker's window is at least 1 s, its reset longer than 0, its volume at least 1");
    }
  }

  public BreakerSettings reset(Duration value) {
    return new BreakerSettings(enabled, errorPercent, window, value, volume);
  }

  public BreakerSettings volume(int value) {
    return new BreakerSettings(enabled, errorPercent, window, reset, value);
  }
}
