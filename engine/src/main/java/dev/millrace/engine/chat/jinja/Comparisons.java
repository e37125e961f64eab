package dev.millrace.engine.chat.jinja;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Equality, order and membership as Python has them: values of different kinds are unequal, and
 * have no order.
 */
final class Comparisons {
  private Comparisons() {}

  static boolean holds(String operator, Object left, Object right, Budget budget) {
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

  static boolean equal(Object left, Object right, Budget budget) {
    budget.step();
    budget.read(left);
    if (isNumber(left) && isNumber(right)) {
      return compareNumbers(left, right) == 0;
    }
    if (Types.isText(left) && Types.isText(right)) {
      return Text.str(left).equals(Text.str(right));
    }
    return switch (left) {
      case Undefined _ -> right instanceof Undefined;
      case Tuple a -> right instanceof Tuple b && equalItems(a, b, budget);
      case Range a -> right instanceof Range b && equalItems(a, b, budget);
      case List<?> a ->
          right instanceof List<?> b
              && !(b instanceof Tuple)
              && !(b instanceof Range)
              && equalItems(a, b, budget);
      case Map<?, ?> a -> right instanceof Map<?, ?> b && equalEntries(a, b, budget);
      default -> left == right;
    };
  }

  private static boolean equalItems(List<?> a, List<?> b, Budget budget) {
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

  private static boolean equalEntries(Map<?, ?> a, Map<?, ?> b, Budget budget) {
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

  static boolean contains(Object container, Object item, Budget budget) {
    return switch (container) {
      case String text -> contains(text, part(item), budget);
      case Markup markup -> contains(markup.text(), part(item), budget);
      case Map<?, ?> map -> map.containsKey(Members.key(item));
      case Namespace _ ->
          throw new TemplateException("argument of type 'Namespace' is not iterable");
      default -> {
        if (!Types.isIterable(container)) {
          throw new TemplateException(
              "argument of type '" + Types.name(container) + "' is not iterable");
        }
        for (Iterator<?> it = Types.iterate(container); it.hasNext(); ) {
          if (equal(it.next(), item, budget)) {
            yield true;
          }
        }
        yield false;
      }
    };
  }

  private static boolean contains(String text, String part, Budget budget) {
    budget.search(text.length(), part.length());
    return text.contains(part);
  }

  private static String part(Object item) {
    if (!Types.isText(item)) {
      throw new TemplateException(
          "'in <string>' requires string as left operand, not " + Types.name(item));
    }
    return Text.str(item);
  }

  /** Negative, 0 or positive, for the operator that asks. */
  static int order(String operator, Object left, Object right, Budget budget) {
    budget.step();
    budget.read(left);
    if (isNumber(left) && isNumber(right)) {
      return compareNumbers(left, right);
    }
    if (Types.isText(left) && Types.isText(right)) {
      return compareText(Text.str(left), Text.str(right));
    }
    if (left instanceof List<?> a
        && right instanceof List<?> b
        && Types.name(a).equals(Types.name(b))) {
      return compareItems(operator, a, b, budget);
    }
    if (left instanceof Undefined undefined) {
      throw undefined.fault();
    }
    if (right instanceof Undefined undefined) {
      throw undefined.fault();
    }
    throw new TemplateException(
        "'"
            + operator
            + "' not supported between instances of '"
            + Types.name(left)
            + "' and '"
            + Types.name(right)
            + "'");
  }

  private static int compareItems(String operator, List<?> a, List<?> b, Budget budget) {
    for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
      if (!equal(a.get(i), b.get(i), budget)) {
        return order(operator, a.get(i), b.get(i), budget);
      }
    }
    return Integer.compare(a.size(), b.size());
  }

  /** By code points, not by UTF-16 units. */
  private static int compareText(String a, String b) {
    int n = Math.min(a.length(), b.length());
    for (int i = 0; i < n; i++) {
      if (a.charAt(i) != b.charAt(i)) {
        return Integer.compare(a.codePointAt(i), b.codePointAt(i));
      }
    }
    return Integer.compare(a.length(), b.length());
  }

  static boolean isNumber(Object value) {
    return value instanceof Long
        || value instanceof Double
        || value instanceof Boolean
        || value instanceof BigInteger;
  }

  private static int compareNumbers(Object left, Object right) {
    if (left instanceof Long a && right instanceof Long b) {
      return Long.compare(a, b);
    }
    double a = Arithmetic.real(left);
    double b = Arithmetic.real(right);
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
