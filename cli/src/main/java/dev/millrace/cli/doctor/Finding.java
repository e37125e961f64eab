package dev.millrace.cli.doctor;

import org.jspecify.annotations.Nullable;

/**
 * The result of a check.
 *
 * @param subject what was checked, in a word or two
 * @param text the fact, with numbers
 * @param remedy what to do; null if nothing
 */
public record Finding(Level level, String subject, String text, @Nullable String remedy) {
  /** The severity. */
  public enum Level {
    OK,
    /** Works, but not as well or as safely as it should. */
    WARN,
    /** Does not work. */
    FAIL
  }
}
