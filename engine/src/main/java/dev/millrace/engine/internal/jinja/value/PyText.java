package dev.millrace.engine.internal.jinja.value;

import dev.millrace.engine.error.ChatTemplateException;
import java.math.BigDecimal;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Converts values to text as Python's {@code str} and {@code repr} do. Characters of strings keep
 * their origin; those of numbers and brackets count as written by the template.
 */
public final class PyText {
  private static final int DEEPEST = 200;

  private static final int LONGEST = 1 << 22;

  private PyText() {}

  public static PyString str(Object value) {
    return switch (value) {
      case PyString text -> text;
      case Markup markup -> markup.text();
      case Undefined _ -> PyString.EMPTY;
      default -> repr(value);
    };
  }

  public static PyString repr(Object value) {
    PyString.Builder out = new PyString.Builder();
    repr(value, out, 0);
    return out.build();
  }

  private static void repr(Object value, PyString.Builder out, int depth) {
    if (depth > DEEPEST) {
      throw new ChatTemplateException("a value is nested more than " + DEEPEST + " deep");
    }
    if (out.length()
        > LONGEST) { // lists can hold the same list often, and grow exponentially when they are
      // printed
      throw new ChatTemplateException(
          "a value has more than " + LONGEST + " characters when it is printed");
    }
    switch (value) {
      case None _ -> out.append("None");
      case Boolean flag -> out.append(flag ? "True" : "False");
      case Double number -> out.append(number(number));
      case PyString text -> quote(text, out);
      case Markup markup -> quote(markup.text(), out.append("Markup(")).append(")");
      case Undefined _ -> out.append("Undefined");
      case PyRange range -> out.append(range.toString());
      case Tuple tuple ->
          items(tuple, out.append("("), depth).append(tuple.size() == 1 ? ",)" : ")");
      case List<?> list -> items(list, out.append("["), depth).append("]");
      case Map<?, ?> map -> entries(map, out, depth);
      case DictView view ->
          items(view.items(), out.append(view.kind()).append("(["), depth).append("])");
      case TemplateNamespace namespace -> {
        entries(namespace.attributes(), out.append("<Namespace "), depth);
        out.append(">");
      }
      case Number number -> out.append(number.toString());
      default -> out.append("<" + PyTypes.typeName(value) + ">");
    }
  }

  private static PyString.Builder items(List<?> items, PyString.Builder out, int depth) {
    String comma = "";
    for (Object item : items) {
      repr(item, out.append(comma), depth + 1);
      comma = ", ";
    }
    return out;
  }

  private static void entries(Map<?, ?> map, PyString.Builder out, int depth) {
    out.append("{");
    for (Iterator<? extends Map.Entry<?, ?>> it = map.entrySet().iterator(); it.hasNext(); ) {
      Map.Entry<?, ?> entry = it.next();
      repr(entry.getKey(), out, depth + 1);
      repr(entry.getValue(), out.append(": "), depth + 1);
      out.append(it.hasNext() ? ", " : "");
    }
    out.append("}");
  }

  /**
   * Python's float: the shortest digits that read back as the same number, with an exponent below
   * 1e-4 and from 1e16 on.
   */
  public static String number(double value) {
    if (Double.isNaN(value)) {
      return "nan";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "inf" : "-inf";
    }
    if (value == 0) {
      return 1 / value < 0 ? "-0.0" : "0.0";
    }
    BigDecimal shortest = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    String digits = shortest.unscaledValue().abs().toString();
    int point =
        digits.length() - shortest.scale(); // where the point stands, counted from the first digit
    String sign = value < 0 ? "-" : "";
    if (point > 16 || point < -3) {
      String fraction = digits.length() > 1 ? "." + digits.substring(1) : "";
      return sign
          + digits.charAt(0)
          + fraction
          + "e"
          + (point > 0 ? "+" : "-")
          + twoDigits(Math.abs(point - 1));
    }
    String plain = shortest.toPlainString();
    return plain.contains(".") ? plain : plain + ".0";
  }

  private static String twoDigits(int exponent) {
    return exponent < 10 ? "0" + exponent : Integer.toString(exponent);
  }

  private static PyString.Builder quote(PyString string, PyString.Builder out) {
    String text = string.text();
    char quote = text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
    out.append(String.valueOf(quote));
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      out.append(escaped(text.codePointAt(i), quote), string, i);
    }
    return out.append(String.valueOf(quote));
  }

  private static String escaped(int c, char quote) {
    return switch (c) {
      case '\\' -> "\\\\";
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default -> {
        if (c == quote) {
          yield "\\" + quote;
        }
        if (printable(c)) {
          yield Character.toString(c);
        }
        String form = c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x";
        yield form.formatted(c);
      }
    };
  }

  /**
   * Python's {@code str.isprintable}: no controls, formats, surrogates, private or unassigned
   * characters, and no space but ' '.
   */
  private static boolean printable(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      case Character.SPACE_SEPARATOR -> c == ' ';
      default -> true;
    };
  }
}
