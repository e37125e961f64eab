package dev.millrace.cli.soak;

import java.time.Duration;
import java.util.Locale;

/**
 * How long a soak takes, and what its faults and requests are drawn from: {@code
 * -Dmillrace.soak=5m}, {@code -Dmillrace.seed=…}.
 *
 * @param partial whether faults may be left out that this machine does not allow: {@code
 *     -Dmillrace.soak.partial=true}
 */
record SoakSettings(Duration length, long seed, boolean partial) {
  static SoakSettings ofProperties() {
    String length = System.getProperty("millrace.soak", "60m");
    return new SoakSettings(
        Duration.parse("PT" + length.toUpperCase(Locale.ROOT)),
        Long.getLong("millrace.seed", System.nanoTime()),
        Boolean.getBoolean("millrace.soak.partial"));
  }

  /** The same faults and requests again; when each meets which is not up to the seed. */
  String command() {
    return "mvn -Pproof verify -pl cli -am -Dtest=none -Dit.test=SoakIT"
        + " -Dsurefire.failIfNoSpecifiedTests=false"
        + " -Dmillrace.soak=%ds -Dmillrace.seed=%d".formatted(length.toSeconds(), seed);
  }
}
