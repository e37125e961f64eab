package dev.millrace.core.internal.rules;

import java.util.HashMap;
import java.util.Map;

/**
 * Keeps one object of each text that many tasks have: the names of workers, and errors. A stage may
 * have 200,000 tasks that all failed for the same reason.
 */
final class SharedTexts {
  private static final int MOST = 100;

  private final Map<String, String> texts = new HashMap<>();

  /** An equal text, the same object as before if there was one recently. */
  String of(String text) {
    String known = texts.putIfAbsent(text, text);
    if (known == null && texts.size() > MOST) {
      texts.clear();
    }
    return known == null ? text : known;
  }
}
