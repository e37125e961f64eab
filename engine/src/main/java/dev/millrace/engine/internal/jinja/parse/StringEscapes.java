package dev.millrace.engine.internal.jinja.parse;

import dev.millrace.engine.error.ChatTemplateException;

/** The escapes of a Python string literal; unknown escapes stay as they are. */
final class StringEscapes {
  private StringEscapes() {}

  static String unescape(String text, int line) {
    if (text.indexOf('\\') < 0) {
      return text;
    }
    StringBuilder out = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); ) {
      char c = text.charAt(i++);
      if (c != '\\') {
        out.append(c);
        continue;
      }
      char kind = text.charAt(i++);
      int digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
      if (digits > 0) {
        out.appendCodePoint(hex(text, i, digits, line));
        i += digits;
      } else if (kind >= '0' && kind <= '7') {
        int end = i;
        while (end < text.length()
            && end < i + 2
            && text.charAt(end) >= '0'
            && text.charAt(end) <= '7') {
          end++;
        }
        out.append((char) Integer.parseInt(text, i - 1, end, 8));
        i = end;
      } else {
        simple(kind, out, line);
      }
    }
    return out.toString();
  }

  private static void simple(char kind, StringBuilder out, int line) {
    switch (kind) {
      case 'n' -> out.append('\n');
      case 't' -> out.append('\t');
      case 'r' -> out.append('\r');
      case 'a' -> out.append((char) 7);
      case 'b' -> out.append('\b');
      case 'f' -> out.append('\f');
      case 'v' -> out.append((char) 11);
      case '\n' -> {} // a continued line
      case '\\', '\'', '"' -> out.append(kind);
      case 'N' ->
          throw new ChatTemplateException(
              "the escape \\N{...} is not supported; write the character itself", line);
      default -> out.append('\\').append(kind);
    }
  }

  private static int hex(String text, int from, int digits, int line) {
    try {
      int code = Integer.parseUnsignedInt(text, from, from + digits, 16);
      if (Character.isValidCodePoint(code)) {
        return code;
      }
    } catch (NumberFormatException | IndexOutOfBoundsException _) {
      // reported below
    }
    throw new ChatTemplateException("a string has a wrong escape \\" + text.charAt(from - 1), line);
  }
}
