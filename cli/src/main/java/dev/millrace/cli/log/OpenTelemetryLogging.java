package dev.millrace.cli.log;

import java.util.logging.Level;
import java.util.logging.Logger;

/** Silences the log of OpenTelemetry: the server's own log says which spans are lost, and why. */
public final class OpenTelemetryLogging {
  /** A strong reference: a logger that is garbage collected loses its level. */
  private static final Logger LIBRARY = Logger.getLogger("io.opentelemetry");

  private OpenTelemetryLogging() {}

  public static void silence() {
    LIBRARY.setLevel(Level.OFF);
  }
}
