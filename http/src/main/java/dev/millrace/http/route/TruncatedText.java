package dev.millrace.http.route;

/** Shortens long texts for messages. */
public final class TruncatedText {
  private TruncatedText() {}

  /** The first {@code max} characters, with "…" if there are more; splits no surrogate pair. */
  public static String of(String text, int max) {
    if (text.length() <= max) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(max - 1)) ? max - 1 : max;
    return text.substring(0, end) + "…";
  }
}
