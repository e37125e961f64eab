package dev.millrace.store.postgres.chaos;

import java.time.Duration;
import java.util.Locale;

/**
 * How long faults happen, and what they and the jobs are drawn from: {@code -Dmillrace.chaos=5m},
 * {@code -Dmillrace.seed=…}.
 */
record ChaosSettings(Duration length, long seed) {
  /** How many processes serve. */
  static final int SERVERS = 4;

  /** How many tasks each works on at the same time. */
  static final int WORKERS = 60;

  /** How long a server is left alone that is silent; short, so that a freeze outlasts it. */
  static final Duration LEASE = Duration.ofSeconds(3);

  /** Runs that are longer need the profile whose tests may take so long. */
  private static final Duration LONGEST_USUAL = Duration.ofMinutes(10);

  static ChaosSettings ofProperties() {
    String usual = Boolean.getBoolean("millrace.proof") ? "60m" : "60s";
    String length = System.getProperty("millrace.chaos", usual);
    return new ChaosSettings(
        Duration.parse("PT" + length.toUpperCase(Locale.ROOT)),
        Long.getLong("millrace.seed", System.nanoTime()));
  }

  /** The same jobs and faults again; when each meets which is not up to the seed. */
  String command() {
    boolean isLong = length.compareTo(LONGEST_USUAL) > 0;
    return "mvn "
        + (isLong ? "-Pproof " : "")
        + "verify -pl store-postgres -am -Dtest=ServerChaosTest"
        + " -Dsurefire.failIfNoSpecifiedTests=false"
        + " -Dmillrace.chaos=%ds -Dmillrace.seed=%d".formatted(length.toSeconds(), seed);
  }
}
