package dev.millrace.http.openai.response.stream;

import java.util.Locale;

/** The status of an item. */
enum ItemStatus {
  IN_PROGRESS,
  COMPLETED,
  /** The output ended within it. */
  INCOMPLETE;

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
