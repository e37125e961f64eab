package dev.millrace.engine.internal.jinja.value;

import dev.millrace.engine.error.ChatTemplateException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Equality, order and membership by Python's rules: values of different kinds are unequal and have
 * no order.
 */
public final class Comparisons {
  private Comparisons() {}

  public static boolean holds(String operator, Object left, Object right, RenderBudget budget) {
    return switch (operator) {
      case "==" -> equal(left, right, budget);
      case "!=" -> !equal(left, right, budget);
      case "in" -> contains(right, left, budget);
      case "not in" -> !contains(right, left, budget);
      case "<" -> order(operator, left, right, budget) < 0;
      case "<=" -> order(operator, left, right, budget) <= 0;
      case ">" -> order(operator, left, right, budget) > 0;
      case ">=" -> order(operator, left, right, budget) >= 0;
      default -> throw new IllegalStateException(operator);
    };
  }

  public static boolean equal(Object left, Object right, RenderBudget budget) {
    budget.chargeStep();
    budget.chargeRead(left);
    if (isNumber(left) && isNumber(right)) {
      return compareNumbers(left, right) == 0;
    }
    if (PyTypes.isText(left) && PyTypes.isText(right)) {
      return PyText.str(left).equals(PyText.str(right));
    }
    return switch (left) {
      case Undefined _ -> right instanceof Undefined;
      case Tuple a -> right instanceof Tuple b && equalItems(a, b, budget);
      case PyRange a -> right instanceof PyRange b && equalItems(a, b, budget);
      case List<?> a ->
          right instanceof List<?> b
              && !(b instanceof Tuple)
              && !(b instanceof PyRange)
              && equalItems(a, b, budget);
      case Map<?, ?> a -> right instanceof Map<?, ?> b && equalEntries(a, b, budget);
      default -> left == right;
    };
  }

  private static boolean equalItems(List<?> a, List<?> b, RenderBudget budget) {
    if (a.size() != b.size()) {
      return false;
    }
    for (int i = 0; i < a.size(); i++) {
      if (!equal(a.get(i), b.get(i), budget)) {
        return false;
      }
    }
    return true;
  }

  private static boolean equalEntries(Map<?, ?> a, Map<?, ?> b, RenderBudget budget) {
    if (a.size() != b.size()) {
      return false;
    }
    for (Map.Entry<?, ?> entry : a.entrySet()) {
      Object other = b.get(entry.getKey());
      if (other == null || !equal(entry.getValue(), other, budget)) {
        return false;
      }
    }
    return true;
  }

  static boolean contains(Object container, Object item, RenderBudget budget) {
    return switch (container) {
      case PyString text -> contains(text.text(), part(item), budget);
      case Markup markup -> contains(markup.text().text(), part(item), budget);
      case Map<?, ?> map -> map.containsKey(PyTypes.hashableKey(item));
      case TemplateNamespace _ ->
          throw new ChatTemplateException("argument of type 'Namespace' is not iterable");
      default -> {
        if (!PyTypes.isIterable(container)) {
          throw new ChatTemplateException(
              "argument of type '" + PyTypes.typeName(container) + "' is not iterable");
        }
        for (Iterator<?> it = PyTypes.iterate(container); it.hasNext(); ) {
          if (equal(it.next(), item, budget)) {
            yield true;
          }
        }
        yield false;
      }
    };
  }

  private static boolean contains(String text, String part, RenderBudget budget) {
    budget.chargeSearch(text.length(), part.length());
    return text.contains(part);
  }

  private static String part(Object item) {
    if (!PyTypes.isText(item)) {
      throw new ChatTemplateException(
          "'in <string>' requires string as left operand, not " + PyTypes.typeName(item));
    }
    return PyText.str(item).text();
  }

  /** Compares two values: negative, 0 or positive. The operator is for the message. */
  public static int order(String operator, Object left, Object right, RenderBudget budget) {
    budget.chargeStep();
    budget.chargeRead(left);
    if (isNumber(left) && isNumber(right)) {
      return compareNumbers(left, right);
    }
    if (PyTypes.isText(left) && PyTypes.isText(right)) {
      return compareText(PyText.str(left).text(), PyText.str(right).text());
    }
    if (left instanceof List<?> a
        && right instanceof List<?> b
        && PyTypes.typeName(a).equals(PyTypes.typeName(b))) {
      return compareItems(operator, a, b, budget);
    }
    if (left instanceof Undefined undefined) {
      throw undefined.toException();
    }
    if (right instanceof Undefined undefined) {
      throw undefined.toException();
    }
    throw new ChatTemplateException(
        "'"
            + operator
            + "' not supported between instances of '"
            + PyTypes.typeName(left)
            + "' and '"
            + PyTypes.typeName(right)
            + "'");
  }

  private static int compareItems(String operator, List<?> a, List<?> b, RenderBudget budget) {
    for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
      if (!equal(a.get(i), b.get(i), budget)) {
        return order(operator, a.get(i), b.get(i), budget);
      }
    }
    return Integer.compare(a.size(), b.size());
  }

  /** Compares by code points, not by UTF-16 units. */
  private static int compareText(String a, String b) {
    int n = Math.min(a.length(), b.length());
    for (int i = 0; i < n; i++) {
      if (a.charAt(i) != b.charAt(i)) {
        return Integer.compare(a.codePointAt(i), b.codePointAt(i));
      }
    }
    return Integer.compare(a.length(), b.length());
  }

  public static boolean isNumber(Object value) {
    return value instanceof Long
        || value instanceof Double
        || value instanceof Boolean
        || value instanceof BigInteger;
  }

  private static int compareNumbers(Object left, Object right) {
    if (left instanceof Long a && right instanceof Long b) {
      return Long.compare(a, b);
    }
    double a = PyTypes.toDouble(left);
    double b = PyTypes.toDouble(right);
    if (Double.isFinite(a) && Double.isFinite(b)) {
      return exact(left).compareTo(exact(right));
    }
    return a < b ? -1 : a == b ? 0 : 1;
  }

  private static BigDecimal exact(Object number) {
    return switch (number) {
      case Boolean flag -> flag ? BigDecimal.ONE : BigDecimal.ZERO;
      case BigInteger big -> new BigDecimal(big);
      case Double real -> new BigDecimal(real);
      default -> BigDecimal.valueOf((Long) number);
    };
  }
}
