package dev.millrace.api;

import java.util.Locale;

/** The states of a job in so1's words. */
public enum So1State {
  PENDING,
  RUNNING,
  SUCCESS,
  FAILED,
  CANCELLED;

  public boolean isFinal() {
    return this != PENDING && this != RUNNING;
  }

  /** As the API writes it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static So1State fromWord(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
