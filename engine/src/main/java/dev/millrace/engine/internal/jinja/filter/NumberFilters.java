package dev.millrace.engine.internal.jinja.filter;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.operation.Whitespace;
import dev.millrace.engine.internal.jinja.value.Comparisons;
import dev.millrace.engine.internal.jinja.value.Markup;
import dev.millrace.engine.internal.jinja.value.PyArguments;
import dev.millrace.engine.internal.jinja.value.PyString;
import dev.millrace.engine.internal.jinja.value.PyText;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.Undefined;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The filters {@code abs}, {@code int}, {@code float} and {@code round}. */
final class NumberFilters {
  /**
   * Doubles have no more than 1074 binary places; with more decimal places than this, nothing is
   * rounded.
   */
  private static final int PLACES = 400;

  /** Python's own limit for reading a number. */
  private static final int MOST_DIGITS = 4300;

  private NumberFilters() {}

  static Object apply(String name, Object value, PyArguments args) {
    return switch (name) {
      case "abs" -> abs(value);
      case "int" -> whole(value, args);
      case "float" -> real(value, args);
      default -> round(value, args);
    };
  }

  private static Object abs(Object value) {
    return switch (value) {
      case Double number -> Math.abs(number);
      case BigInteger number -> number.abs();
      default -> {
        long number = PyTypes.integer(value, "abs");
        yield number == Long.MIN_VALUE
            ? (Object) BigInteger.valueOf(number).abs()
            : Math.abs(number);
      }
    };
  }

  private static Object whole(Object value, PyArguments args) {
    args.requireOnly("int", "default", "base");
    int base = (int) args.integer(1, "base", 10);
    return switch (value) {
      case Undefined undefined -> throw undefined.toException();
      case Boolean flag -> flag ? 1L : 0L;
      case Double number -> truncated(number, args);
      case Long _, BigInteger _ -> value;
      case PyString text -> parsed(text, base, args);
      case Markup markup -> parsed(markup.text(), base, args);
      default -> args.get(0, "default", 0L);
    };
  }

  private static Object truncated(double number, PyArguments args) {
    if (Double.isNaN(number) || Double.isInfinite(number)) {
      return args.get(0, "default", 0L);
    }
    return PyTypes.fromJava(new BigDecimal(number).toBigInteger(), "number", 0);
  }

  private static Object parsed(PyString text, int base, PyArguments args) {
    String digits = Whitespace.strip(text).text();
    int sign = digits.startsWith("-") || digits.startsWith("+") ? 1 : 0;
    String prefix =
        digits.length() > sign + 1 ? digits.substring(sign, sign + 2).toLowerCase(Locale.ROOT) : "";
    if ((base == 16 && prefix.equals("0x"))
        || (base == 8 && prefix.equals("0o"))
        || (base == 2 && prefix.equals("0b"))) {
      digits = digits.substring(0, sign) + digits.substring(sign + 2);
    }
    try {
      return PyTypes.fromJava(
          new BigInteger(checked(digits, sign).replace("_", ""), base), "number", 0);
    } catch (NumberFormatException _) {
      Double number = parsed(text);
      return number == null ? args.get(0, "default", 0L) : truncated(number, args);
    }
  }

  /**
   * The digits, if Python accepts them: an underscore may only be between two digits, and their
   * number is limited.
   */
  private static String checked(String digits, int sign) {
    boolean wrong =
        digits.startsWith("_", sign)
            || digits.endsWith("_")
            || digits.contains("__")
            || digits.length() > MOST_DIGITS;
    return wrong ? "none" : digits;
  }

  private static Object real(Object value, PyArguments args) {
    args.requireOnly("float", "default");
    if (value instanceof Undefined undefined) {
      throw undefined.toException();
    }
    if (Comparisons.isNumber(value)) {
      return PyTypes.toDouble(value);
    }
    Double number = PyTypes.isText(value) ? parsed(PyText.str(value)) : null;
    return number == null ? args.get(0, "default", 0.0) : number;
  }

  /**
   * Python's {@code float(text)}; null if it is not a number. Java's own parser would also accept
   * "1d" and hexadecimal numbers.
   */
  private static @Nullable Double parsed(PyString text) {
    String number = Whitespace.strip(text).text().toLowerCase(Locale.ROOT);
    if (number.length() > MOST_DIGITS) {
      return null;
    }
    if (number.matches("[+-]?(inf|infinity)")) {
      return number.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    }
    if (number.matches("[+-]?nan")) {
      return Double.NaN;
    }
    return number.matches("[+-]?(\\d+(_\\d+)*\\.?(\\d+(_\\d+)*)?|\\.\\d+(_\\d+)*)(e[+-]?\\d+)?")
        ? Double.valueOf(number.replace("_", ""))
        : null;
  }

  private static Object round(Object value, PyArguments args) {
    args.requireOnly("round", "precision", "method");
    int places = Math.clamp(args.integer(0, "precision", 0), -PLACES, PLACES);
    String method = args.string(1, "method", "common").text();
    if (value instanceof Undefined undefined) {
      throw undefined.toException();
    }
    if (!Comparisons.isNumber(value)) {
      throw new ChatTemplateException("type " + PyTypes.typeName(value) + " cannot be rounded");
    }
    boolean whole = !(value instanceof Double);
    double number = PyTypes.toDouble(value);
    if (Double.isNaN(number) || Double.isInfinite(number)) {
      return number;
    }
    RoundingMode mode =
        switch (method) {
          case "common" -> RoundingMode.HALF_EVEN;
          case "ceil" -> RoundingMode.CEILING;
          case "floor" -> RoundingMode.FLOOR;
          default -> throw new ChatTemplateException("method must be common, ceil or floor");
        };
    if (method.equals("common")) {
      return whole && places >= 0
          ? PyTypes.integer(value, "round")
          : exact(number, places, mode, whole);
    }
    double scale = Math.pow(10, places);
    double scaled = number * scale;
    return (mode == RoundingMode.CEILING ? Math.ceil(scaled) : Math.floor(scaled)) / scale;
  }

  private static Object exact(double number, int places, RoundingMode mode, boolean whole) {
    BigDecimal rounded = new BigDecimal(number).setScale(places, mode);
    return whole
        ? PyTypes.fromJava(rounded.toBigInteger(), "number", 0)
        : (Object) rounded.doubleValue();
  }
}
