package dev.millrace.engine.internal.jinja.operation;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.value.Comparisons;
import dev.millrace.engine.internal.jinja.value.PyString;
import dev.millrace.engine.internal.jinja.value.PyText;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.RenderBudget;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A format of one value: Python's {@code [[fill]align][sign][#][0][width][,][.precision][type]}.
 */
record FormatSpec(
    PyString fill, char align, String sign, boolean grouped, long width, int precision, char type) {
  private static final Pattern FORM =
      Pattern.compile(
          "(?:(.)?([<>^=]))?([+\\-"
              + " ])?(#)?(0)?(\\d{1,9})?([,_])?(?:\\.(\\d{1,9}))?([sdifFgGeExXob%r])?",
          Pattern.DOTALL);
  private static final int MOST_PLACES = 400;

  static FormatSpec parse(String spec) {
    Matcher m = FORM.matcher(spec);
    if (!m.matches()
        || m.group(4) != null
        || "gGeE".contains(orElse(m.group(9), " "))
        || "_".equals(m.group(7))) {
      throw new ChatTemplateException("the format '" + spec + "' is not supported");
    }
    boolean zeros = m.group(5) != null;
    return new FormatSpec(
        // one character is no marker, but many of them after each other could be
        PyString.ofMessage(orElse(m.group(1), zeros ? "0" : " ")),
        orElse(m.group(2), zeros ? "=" : " ").charAt(0),
        orElse(m.group(3), ""),
        m.group(7) != null,
        m.group(6) == null ? 0 : Long.parseLong(m.group(6)),
        m.group(8) == null ? -1 : Math.min(Integer.parseInt(m.group(8)), 1 << 24),
        orElse(m.group(9), " ").charAt(0));
  }

  private static String orElse(@Nullable String text, String otherwise) {
    return text == null ? otherwise : text;
  }

  PyString apply(Object value, RenderBudget budget) {
    boolean number =
        type == ' '
            ? Comparisons.isNumber(value) && !(value instanceof Boolean)
            : "sr".indexOf(type) < 0;
    if (!number) {
      return padded("", text(value), '<', budget);
    }
    if (!Comparisons.isNumber(value)) {
      throw new ChatTemplateException(
          "the format '" + type + "' needs a number, not " + PyTypes.typeName(value));
    }
    String digits = digits(value);
    boolean negative = digits.startsWith("-");
    return padded(
        negative ? "-" : sign.equals("-") ? "" : sign,
        PyString.ofTemplate(negative ? digits.substring(1) : digits),
        '>',
        budget);
  }

  private PyString text(Object value) {
    PyString text = type == 'r' ? PyText.repr(value) : PyText.str(value);
    return precision < 0 || precision >= PyTypes.length(text)
        ? text
        : text.substring(0, text.text().offsetByCodePoints(0, precision));
  }

  private String digits(Object value) {
    return switch (type) {
      case 'x' -> whole(value).toString(16);
      case 'X' -> whole(value).toString(16).toUpperCase(Locale.ROOT);
      case 'o' -> whole(value).toString(8);
      case 'b' -> whole(value).toString(2);
      case 'd', 'i' -> grouped(whole(value).toString());
      case 'f', 'F' -> fixed(value, 1);
      case '%' -> fixed(value, 100) + "%";
      default -> precision >= 0 ? fixed(value, 1) : grouped(PyText.str(value).text());
    };
  }

  private static BigInteger whole(Object value) {
    return switch (value) {
      case Boolean flag -> flag ? BigInteger.ONE : BigInteger.ZERO;
      case BigInteger number -> number;
      case Double number when !Double.isNaN(number) && !Double.isInfinite(number) ->
          new BigDecimal(number).toBigInteger();
      case Double _ ->
          throw new ChatTemplateException(
              "cannot convert a float that is not finite to an integer");
      default -> BigInteger.valueOf((Long) value);
    };
  }

  private String fixed(Object value, int times) {
    double number = PyTypes.toDouble(value) * times;
    if (Double.isNaN(number) || Double.isInfinite(number)) {
      return PyText.number(number);
    }
    int places = Math.min(precision < 0 ? 6 : precision, MOST_PLACES);
    String text = new BigDecimal(number).setScale(places, RoundingMode.HALF_EVEN).toPlainString();
    return grouped(number < 0 && !text.startsWith("-") ? "-" + text : text);
  }

  private String grouped(String digits) {
    if (!grouped) {
      return digits;
    }
    int point = digits.indexOf('.') < 0 ? digits.length() : digits.indexOf('.');
    StringBuilder out = new StringBuilder(digits);
    for (int i = point - 3; i > (digits.startsWith("-") ? 1 : 0); i -= 3) {
      out.insert(i, ',');
    }
    return out.toString();
  }

  private PyString padded(String sign, PyString body, char usual, RenderBudget budget) {
    char how = align == ' ' ? usual : align;
    if (how == '=') {
      return new PyString.Builder()
          .append(sign)
          .append(pad(body, width - sign.length(), '>', budget))
          .build();
    }
    PyString all = new PyString.Builder().append(sign).append(body).build();
    if (how == '^') {
      // str.format puts an odd blank to the right, unlike str.center
      long left = Math.max(0, width - PyTypes.length(all)) / 2;
      PyString right = pad(all, PyTypes.length(all) + left, '>', budget);
      return pad(right, width, '<', budget);
    }
    return pad(all, width, how, budget);
  }

  private PyString pad(PyString text, long to, char how, RenderBudget budget) {
    return TextPadding.pad(text, to, fill, how, budget);
  }
}
