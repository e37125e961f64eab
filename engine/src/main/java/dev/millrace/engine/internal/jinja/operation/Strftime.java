package dev.millrace.engine.internal.jinja.operation;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.value.PyString;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * {@code strftime_now(form)}: formats a time with C's conversion letters, in English, as Python
 * does in the C locale.
 */
public final class Strftime {
  private Strftime() {}

  /** A form that a message has a part in makes a text that is all from it. */
  public static PyString format(PyString form, LocalDateTime time) {
    String shown = format(form.text(), time);
    return form.messageIndexes().isEmpty() ? PyString.ofTemplate(shown) : PyString.ofMessage(shown);
  }

  private static String format(String form, LocalDateTime time) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < form.length(); i++) {
      char c = form.charAt(i);
      if (c != '%') {
        out.append(c);
        continue;
      }
      boolean bare = i + 1 < form.length() && form.charAt(i + 1) == '-';
      i += bare ? 2 : 1;
      if (i >= form.length()) {
        throw new ChatTemplateException("strftime_now: '" + form + "' ends within a conversion");
      }
      String shown = convert(form.charAt(i), time);
      out.append(bare ? shown.replaceFirst("^[0 ]+(?=.)", "") : shown);
    }
    return out.toString();
  }

  private static String convert(char letter, LocalDateTime time) {
    return switch (letter) {
      case '%' -> "%";
      case 'n' -> "\n";
      case 't' -> "\t";
      case 'Z', 'z' -> ""; // the time has no zone, as Python's datetime.now() has none
      case 'e' -> "%2d".formatted(time.getDayOfMonth());
      case 'c' -> format("%a %b %e %H:%M:%S %Y", time);
      case 'u' -> Integer.toString(time.getDayOfWeek().getValue());
      case 'w' -> Integer.toString(time.getDayOfWeek().getValue() % 7);
      default -> DateTimeFormatter.ofPattern(pattern(letter), Locale.ENGLISH).format(time);
    };
  }

  private static String pattern(char letter) {
    return switch (letter) {
      case 'a' -> "EEE";
      case 'A' -> "EEEE";
      case 'b', 'h' -> "MMM";
      case 'B' -> "MMMM";
      case 'd' -> "dd";
      case 'm' -> "MM";
      case 'y' -> "yy";
      case 'Y' -> "uuuu";
      case 'H' -> "HH";
      case 'I' -> "hh";
      case 'M' -> "mm";
      case 'S' -> "ss";
      case 'f' -> "SSSSSS";
      case 'p' -> "a";
      case 'j' -> "DDD";
      case 'x', 'D' -> "MM/dd/yy";
      case 'X', 'T' -> "HH:mm:ss";
      case 'R' -> "HH:mm";
      case 'F' -> "uuuu-MM-dd";
      default ->
          throw new ChatTemplateException(
              "strftime_now: the conversion '%" + letter + "' is not supported");
    };
  }
}
