package dev.millrace.cli.doctor;

import org.jspecify.annotations.Nullable;

/**
 * What a check found.
 *
 * @param subject what was checked, in a word or two
 * @param text what is so, with figures
 * @param remedy what to do; null where nothing needs to be done
 */
public record Finding(Level level, String subject, String text, @Nullable String remedy) {
  /** How bad it is. */
  public enum Level {
    OK,
    /** Works, but not as well or as safely as it should. */
    WARN,
    /** Does not work. */
    FAIL
  }
}
