package dev.millrace.core.internal.secret;

/** Passwords in URLs: {@code postgresql://user:password@host}. */
final class UrlPasswords {
  private static final String BEFORE_AUTHORITY = "://";

  private UrlPasswords() {}

  static String redact(String text) {
    int found = text.indexOf(BEFORE_AUTHORITY);
    if (found < 0) {
      return text;
    }
    StringBuilder out = new StringBuilder(text.length());
    int copied = 0;
    for (; found >= 0; found = text.indexOf(BEFORE_AUTHORITY, found + 1)) {
      int begin = found + BEFORE_AUTHORITY.length();
      int end = end(text, begin);
      int colon = text.indexOf(':', begin, end);
      int at = colon < 0 ? -1 : colon + text.substring(colon, end).lastIndexOf('@');
      if (at > colon + 1 && text.indexOf('@', begin, colon) < 0) {
        out.append(text, copied, colon + 1).append(SecretRedactor.REDACTED);
        copied = at;
      }
    }
    return copied == 0 ? text : out.append(text, copied, text.length()).toString();
  }

  /** The end of the authority. A password with one of these characters must be encoded. */
  private static int end(String text, int begin) {
    int end = begin;
    while (end < text.length()
        && "/?#\"'<>".indexOf(text.charAt(end)) < 0
        && !Character.isWhitespace(text.charAt(end))) {
      end++;
    }
    return end;
  }
}
