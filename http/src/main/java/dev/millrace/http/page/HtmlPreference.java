package dev.millrace.http.page;

import java.util.Locale;

/** Whether a client wants HTML, as browsers do (RFC 9110, 12.5.1). */
final class HtmlPreference {
  private HtmlPreference() {}

  /**
   * Whether {@code Accept} names HTML, and names nothing that it prefers. A client that takes
   * anything, as {@code curl} does, does not ask for HTML.
   */
  static boolean of(String accept) {
    double html = 0;
    double others = 0;
    for (String part : accept.split(",")) {
      String[] words = part.strip().toLowerCase(Locale.ROOT).split("\\s*;\\s*");
      if (words[0].equals("text/html")) {
        html = Math.max(html, weight(words));
      } else if (!words[0].contains("*")) {
        others = Math.max(others, weight(words));
      }
    }
    return html > 0 && html >= others;
  }

  private static double weight(String[] words) {
    for (String word : words) {
      if (word.startsWith("q=")) {
        try {
          return Double.parseDouble(word.substring(2));
        } catch (NumberFormatException e) {
          return 0;
        }
      }
    }
    return words[0].isEmpty() ? 0 : 1;
  }
}
