package dev.millrace.client.worker;

/** Cuts texts that are too long for the server or for a reader. */
final class TruncatedText {
  private TruncatedText() {}

  /** At most {@code most} characters of {@code text}; a text that was cut ends with an ellipsis. */
  static String of(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    int end = most - 1;
    return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end) + "…";
  }
}
