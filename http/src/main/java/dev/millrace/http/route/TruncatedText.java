package dev.millrace.http.route;

/** The beginning of a text that may be too long to be shown whole. */
public final class TruncatedText {
  private TruncatedText() {}

  /** At most so many characters, and then "…" where there are more; no pair of them is split. */
  public static String of(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most;
    return text.substring(0, end) + "…";
  }
}
