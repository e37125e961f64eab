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
  private long characters;

  SharedTexts() {}

  /** Knows no texts, but how many characters there are. */
  SharedTexts(SharedTexts from) {
    characters = from.characters;
  }

  /** About how many characters all texts have, each object once. */
  long characters() {
    return characters;
  }

  /** An equal text, the same object as before if there was one recently. */
  String of(String text) {
    String known = texts.putIfAbsent(text, text);
    characters += known == null ? text.length() : 0;
    if (known == null && texts.size() > MOST) {
      texts.clear();
    }
    return known == null ? text : known;
  }
}
