package dev.millrace.client.worker;

/** The beginning of a text that may be longer than anybody would take or read. */
final class TruncatedText {
  private TruncatedText() {}

  /** {@code text} in {@code most} characters at most; one that was cut ends with a mark. */
  static String of(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    int end = most - 1;
    return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end) + "…";
  }
}
