package dev.millrace.engine.internal.jinja.operation;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.value.Comparisons;
import dev.millrace.engine.internal.jinja.value.Markup;
import dev.millrace.engine.internal.jinja.value.PyRange;
import dev.millrace.engine.internal.jinja.value.PyString;
import dev.millrace.engine.internal.jinja.value.PyText;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.RenderBudget;
import dev.millrace.engine.internal.jinja.value.Tuple;
import dev.millrace.engine.internal.jinja.value.Undefined;
import java.util.ArrayList;
import java.util.List;

/**
 * The arithmetic operators. Integers have 64 bits: an overflow is an error, never a wrong number.
 */
public final class PyArithmetic {
  private final RenderBudget budget;

  public PyArithmetic(RenderBudget budget) {
    this.budget = budget;
  }

  public Object unary(String operator, Object value) {
    if (operator.equals("not")) {
      return !PyTypes.isTruthy(value);
    }
    if (value instanceof Undefined undefined) {
      throw undefined.toException();
    }
    if (!Comparisons.isNumber(value)) {
      throw new ChatTemplateException(
          "bad operand type for unary " + operator + ": '" + PyTypes.typeName(value) + "'");
    }
    if (value instanceof Double number) {
      return operator.equals("-") ? -number : number;
    }
    return binary(operator, 0L, value);
  }

  public Object binary(String operator, Object left, Object right) {
    if (left instanceof Undefined undefined) {
      throw undefined.toException();
    }
    if (operator.equals("%") && PyTypes.isText(left)) {
      return PercentFormat.format(PyText.str(left), right, budget);
    }
    if (right instanceof Undefined undefined) {
      throw undefined.toException();
    }
    if (Comparisons.isNumber(left) && Comparisons.isNumber(right)) {
      try {
        return numbers(operator, left, right);
      } catch (ArithmeticException _) {
        throw new ChatTemplateException(
            "the result of '" + operator + "' does not fit into 64 bits");
      }
    }
    return switch (operator) {
      case "+" -> joined(left, right);
      case "*" -> repeated(left, right);
      default -> throw unsupported(operator, left, right);
    };
  }

  private static ChatTemplateException unsupported(String operator, Object left, Object right) {
    return new ChatTemplateException(
        "unsupported operand type(s) for "
            + operator
            + ": '"
            + PyTypes.typeName(left)
            + "' and '"
            + PyTypes.typeName(right)
            + "'");
  }

  private Object joined(Object left, Object right) {
    if (PyTypes.isText(left) && PyTypes.isText(right)) {
      budget.chargeText((long) PyText.str(left).length() + PyText.str(right).length());
      if (left instanceof Markup || right instanceof Markup) {
        return Markup.escape(left).plus(Markup.escape(right));
      }
      return new PyString.Builder().append(PyText.str(left)).append(PyText.str(right)).build();
    }
    if (left instanceof List<?> a
        && right instanceof List<?> b
        && !(left instanceof PyRange)
        && left instanceof Tuple == right instanceof Tuple) {
      budget.chargeItems((long) a.size() + b.size());
      List<Object> all = new ArrayList<>(a);
      all.addAll(b);
      return left instanceof Tuple ? new Tuple(all) : all;
    }
    if (PyTypes.isText(left) || left instanceof List<?>) {
      String name = PyTypes.typeName(left);
      throw new ChatTemplateException(
          "can only concatenate " + name + " (not \"" + PyTypes.typeName(right) + "\") to " + name);
    }
    throw unsupported("+", left, right);
  }

  private Object repeated(Object left, Object right) {
    Object what = Comparisons.isNumber(left) ? right : left;
    Object times = what == left ? right : left;
    if (!(times instanceof Long || times instanceof Boolean)
        || !(PyTypes.isText(what) || what instanceof List<?>)) {
      throw unsupported("*", left, right);
    }
    int n = Math.clamp(whole(times), 0, Integer.MAX_VALUE);
    if (what instanceof List<?> list) {
      budget.chargeItems((long) list.size() * n);
      List<Object> all = new ArrayList<>();
      for (int i = 0; i < n && !list.isEmpty(); i++) {
        all.addAll(list);
      }
      return what instanceof Tuple ? new Tuple(all) : all;
    }
    budget.chargeText((long) PyText.str(what).length() * n);
    return PyText.str(what).repeat(n);
  }

  private static Object numbers(String operator, Object left, Object right) {
    if (operator.equals("/")) {
      return PyTypes.toDouble(left) / divisor(PyTypes.toDouble(right));
    }
    if (left instanceof Double || right instanceof Double) {
      return reals(operator, PyTypes.toDouble(left), PyTypes.toDouble(right));
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
      throw new ChatTemplateException("division by zero");
    }
    return b;
  }

  private static long divisor(long b) {
    if (b == 0) {
      throw new ChatTemplateException("division by zero");
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
          throw new ChatTemplateException("the whole number " + number + " has more than 64 bits");
    };
  }
}
