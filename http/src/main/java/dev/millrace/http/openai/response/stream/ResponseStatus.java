package dev.millrace.http.openai.response.stream;

import java.util.Locale;

/** The status of a response. */
public enum ResponseStatus {
  /** It waits in the queue. */
  QUEUED,
  IN_PROGRESS,
  COMPLETED,
  /** It has as many tokens as allowed. */
  INCOMPLETE,
  FAILED,
  CANCELLED;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public boolean isFinal() {
    return compareTo(COMPLETED) >= 0;
  }
}
