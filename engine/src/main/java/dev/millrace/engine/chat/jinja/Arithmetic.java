package dev.millrace.engine.chat.jinja;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * The operators that make new values. Whole numbers are those of a long: beyond it is an error,
 * never a wrong number.
 */
final class Arithmetic {
  private final Budget budget;

  Arithmetic(Budget budget) {
    this.budget = budget;
  }

  Object unary(String operator, Object value) {
    if (operator.equals("not")) {
      return !Types.truth(value);
    }
    if (value instanceof Undefined undefined) {
      throw undefined.fault();
    }
    if (!Comparisons.isNumber(value)) {
      throw new TemplateException(
          "bad operand type for unary " + operator + ": '" + Types.name(value) + "'");
    }
    if (value instanceof Double number) {
      return operator.equals("-") ? -number : number;
    }
    return binary(operator, 0L, value);
  }

  Object binary(String operator, Object left, Object right) {
    if (left instanceof Undefined undefined) {
      throw undefined.fault();
    }
    if (operator.equals("%") && Types.isText(left)) {
      return PercentFormat.format(Text.str(left), right, budget);
    }
    if (right instanceof Undefined undefined) {
      throw undefined.fault();
    }
    if (Comparisons.isNumber(left) && Comparisons.isNumber(right)) {
      try {
        return numbers(operator, left, right);
      } catch (ArithmeticException _) {
        throw new TemplateException(
            "the outcome of '" + operator + "' is beyond the whole numbers of 64 bits");
      }
    }
    return switch (operator) {
      case "+" -> joined(left, right);
      case "*" -> repeated(left, right);
      default -> throw unsupported(operator, left, right);
    };
  }

  private static TemplateException unsupported(String operator, Object left, Object right) {
    return new TemplateException(
        "unsupported operand type(s) for "
            + operator
            + ": '"
            + Types.name(left)
            + "' and '"
            + Types.name(right)
            + "'");
  }

  private Object joined(Object left, Object right) {
    if (Types.isText(left) && Types.isText(right)) {
      budget.text((long) Text.str(left).length() + Text.str(right).length());
      if (left instanceof Markup || right instanceof Markup) {
        return Markup.escape(left).plus(Markup.escape(right));
      }
      return Text.str(left) + Text.str(right);
    }
    if (left instanceof List<?> a
        && right instanceof List<?> b
        && !(left instanceof Range)
        && left instanceof Tuple == right instanceof Tuple) {
      budget.items((long) a.size() + b.size());
      List<Object> all = new ArrayList<>(a);
      all.addAll(b);
      return left instanceof Tuple ? new Tuple(all) : all;
    }
    if (Types.isText(left) || left instanceof List<?>) {
      String name = Types.name(left);
      throw new TemplateException(
          "can only concatenate " + name + " (not \"" + Types.name(right) + "\") to " + name);
    }
    throw unsupported("+", left, right);
  }

  private Object repeated(Object left, Object right) {
    Object what = Comparisons.isNumber(left) ? right : left;
    Object times = what == left ? right : left;
    if (!(times instanceof Long || times instanceof Boolean)
        || !(Types.isText(what) || what instanceof List<?>)) {
      throw unsupported("*", left, right);
    }
    int n = Math.clamp(whole(times), 0, Integer.MAX_VALUE);
    if (what instanceof List<?> list) {
      budget.items((long) list.size() * n);
      List<Object> all = new ArrayList<>();
      for (int i = 0; i < n && !list.isEmpty(); i++) {
        all.addAll(list);
      }
      return what instanceof Tuple ? new Tuple(all) : all;
    }
    budget.text((long) Text.str(what).length() * n);
    return Text.str(what).repeat(n);
  }

  private static Object numbers(String operator, Object left, Object right) {
    if (operator.equals("/")) {
      return real(left) / divisor(real(right));
    }
    if (left instanceof Double || right instanceof Double) {
      return reals(operator, real(left), real(right));
    }
    long a = whole(left);
    long b = whole(right);
    return switch (operator) {
      case "+" -> Math.addExact(a, b);
      case "-" -> Math.subtractExact(a, b);
      case "*" -> Math.multiplyExact(a, b);
      case "//" -> Math.floorDiv(a, divisor(b));
      case "%" -> Math.floorMod(a, divisor(b));
      case "**" -> b < 0 ? (Object) Math.pow(divisor(a), b) : power(a, b);
      default -> throw new IllegalStateException(operator);
    };
  }

  private static Object reals(String operator, double a, double b) {
    return switch (operator) {
      case "+" -> a + b;
      case "-" -> a - b;
      case "*" -> a * b;
      case "//" -> Math.floor(a / divisor(b));
      case "%" -> {
        double rest = a % divisor(b);
        yield rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
      }
      case "**" -> Math.pow(a, b);
      default -> throw new IllegalStateException(operator);
    };
  }

  private static double divisor(double b) {
    if (b == 0) {
      throw new TemplateException("division by zero");
    }
    return b;
  }

  private static long divisor(long b) {
    if (b == 0) {
      throw new TemplateException("division by zero");
    }
    return b;
  }

  private static long power(long base, long exponent) {
    if (base == 0 || base == 1 || exponent == 0) {
      return exponent == 0 ? 1 : base;
    }
    if (base == -1) {
      return exponent % 2 == 0 ? 1 : -1;
    }
    long result = 1;
    for (long i = 0; i < exponent; i++) {
      result = Math.multiplyExact(result, base); // ends by overflow after 64 rounds at most
    }
    return result;
  }

  private static long whole(Object number) {
    return switch (number) {
      case Boolean flag -> flag ? 1 : 0;
      case Long value -> value;
      default ->
          throw new TemplateException("the whole number " + number + " has more than 64 bits");
    };
  }

  static double real(Object number) {
    return switch (number) {
      case Boolean flag -> flag ? 1 : 0;
      case Long value -> value;
      case BigInteger value -> value.doubleValue();
      default -> (Double) number;
    };
  }
}
