package dev.millrace.core.internal.secret;

import java.util.Set;

/** What stands for a secret in a text, such as {@code KEY}, {@code $TOKEN} and {@code <secret>}. */
final class Placeholders {
  private static final Set<String> NONE =
      Set.of("true", "false", "null", "none", "None", "nil", "undefined", "yes", "no");

  private Placeholders() {}

  static boolean matches(String value) {
    return value.isEmpty()
        || NONE.contains(value)
        || value.startsWith("[redacted")
        || "$<{%*.…".indexOf(value.charAt(0)) >= 0
        || value.chars().allMatch(c -> c >= 'A' && c <= 'Z' || c == '_');
  }
}
