package dev.millrace.cli.log;

import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Silences the log of the database's driver: what it finds wrong is in the exception that it throws,
 * and our own error says it with what to do.
 */
public final class DatabaseLogging {
  /** A strong reference: a logger that is garbage collected loses its level. */
  private static final Logger DRIVER = Logger.getLogger("org.postgresql");

  private DatabaseLogging() {}

  public static void silence() {
    DRIVER.setLevel(Level.OFF);
  }
}
