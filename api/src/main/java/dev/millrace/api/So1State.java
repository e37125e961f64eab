package dev.millrace.api;

import java.util.Locale;

/** The states of a job in the so1 API. */
public enum So1State {
  PENDING,
  RUNNING,
  SUCCESS,
  FAILED,
  CANCELLED;

  public boolean isFinal() {
    return this != PENDING && this != RUNNING;
  }

  /** The state in lower case, as the API writes it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static So1State fromWord(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
