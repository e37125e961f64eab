package dev.millrace.engine.internal.jinja.value;

import dev.millrace.engine.error.ChatTemplateException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The Python type of a value and its properties: truth, length, iteration; and the conversion from
 * plain Java objects.
 */
public final class PyTypes {
  private static final int DEEPEST = 200;

  /** A string for each character takes more memory than a step should. */
  public static final int STEPS_PER_STRING = 4;

  private PyTypes() {}

  /** Python's name of the type. */
  public static String typeName(Object value) {
    return switch (value) {
      case None _ -> "NoneType";
      case Boolean _ -> "bool";
      case Long _ -> "int";
      case BigInteger _ -> "int";
      case Double _ -> "float";
      case PyString _ -> "str";
      case Markup _ -> "Markup";
      case Undefined _ -> "Undefined";
      case Tuple _ -> "tuple";
      case PyRange _ -> "range";
      case List<?> _ -> "list";
      case Map<?, ?> _ -> "dict";
      case PyGenerator _ -> "generator";
      case DictView view -> view.kind();
      case TemplateNamespace _ -> "Namespace";
      case LoopVariable _ -> "LoopContext";
      case MacroValue _ -> "Macro";
      default -> "function";
    };
  }

  public static boolean isTruthy(Object value) {
    return switch (value) {
      case None _ -> false;
      case Undefined _ -> false;
      case Boolean flag -> flag;
      case Long number -> number != 0;
      case Double number -> number != 0;
      case PyString text -> !text.isEmpty();
      case Markup markup -> !markup.text().isEmpty();
      case List<?> list -> !list.isEmpty();
      case Map<?, ?> map -> !map.isEmpty();
      case DictView view -> !view.items().isEmpty();
      default -> true;
    };
  }

  public static boolean isText(Object value) {
    return value instanceof PyString || value instanceof Markup;
  }

  public static boolean isIterable(Object value) {
    return switch (value) {
      case PyString _,
          Markup _,
          Undefined _,
          List<?> _,
          Map<?, ?> _,
          PyGenerator _,
          DictView _,
          LoopVariable _ ->
          true;
      default -> false;
    };
  }

  /** The items of Python's {@code iter}: the keys of a dict, the characters of a string. */
  public static Iterator<?> iterate(Object value) {
    return switch (value) {
      case List<?> list -> list.iterator();
      case Map<?, ?> map -> map.keySet().iterator();
      case PyString text -> characters(text);
      case Markup markup -> characters(markup.text());
      case PyGenerator stream -> stream.items();
      case DictView view -> view.items().iterator();
      case Undefined _ -> List.of().iterator();
      case LoopVariable loop -> loop.iterate();
      default ->
          throw new ChatTemplateException("'" + typeName(value) + "' object is not iterable");
    };
  }

  public static List<Object> list(Object value, RenderBudget budget) {
    List<Object> items = new ArrayList<>();
    if (isText(value)) {
      budget.chargeItems(STEPS_PER_STRING * length(value));
    }
    for (Iterator<?> it = iterate(value); it.hasNext(); ) {
      budget.chargeStep();
      items.add(it.next());
    }
    return items;
  }

  public static long length(Object value) {
    return switch (value) {
      case PyString text -> text.text().codePointCount(0, text.length());
      case Markup markup -> length(markup.text());
      case List<?> list -> list.size();
      case Map<?, ?> map -> map.size();
      case DictView view -> view.items().size();
      case Undefined _ -> 0;
      case LoopVariable loop -> loop.length();
      default ->
          throw new ChatTemplateException("object of type '" + typeName(value) + "' has no len()");
    };
  }

  /** The whole number that {@code what} needs; a bool counts as 0 or 1, as in Python. */
  public static long integer(Object value, String what) {
    return switch (value) {
      case Long number -> number;
      case Boolean flag -> flag ? 1 : 0;
      case Undefined undefined -> throw undefined.toException();
      default ->
          throw new ChatTemplateException(what + " needs a whole number, not " + typeName(value));
    };
  }

  /** The string that {@code what} needs, where Python accepts no other type. */
  public static PyString string(Object value, String what) {
    return switch (value) {
      case PyString text -> text;
      case Markup markup -> markup.text();
      case Undefined undefined -> throw undefined.toException();
      default -> throw new ChatTemplateException(what + " needs a string, not " + typeName(value));
    };
  }

  /** The characters of such a string, where their origin does not matter. */
  public static String text(Object value, String what) {
    return string(value, what).text();
  }

  /**
   * Converts a plain Java object: null, Boolean, numbers, CharSequence, List and Map with string
   * keys, as a deep copy, so that nothing changes during a rendering. Texts count as messages; a
   * {@link PyString} stays as it is.
   */
  public static Object fromJava(@Nullable Object plain, String where, int depth) {
    if (depth > DEEPEST) {
      throw new ChatTemplateException(where + " is nested more than " + DEEPEST + " deep");
    }
    return switch (plain) {
      case null -> None.NONE;
      case Boolean flag -> flag;
      case Integer number -> number.longValue();
      case Long number -> number;
      case Short number -> number.longValue();
      case Byte number -> number.longValue();
      case Float number -> number.doubleValue();
      case Double number -> number;
      case BigInteger number -> number.bitLength() < 64 ? (Object) number.longValue() : number;
      case BigDecimal number -> number.doubleValue();
      case PyString text -> text;
      case CharSequence text -> PyString.ofMessage(text.toString());
      case List<?> list -> list(list, where, depth);
      case Map<?, ?> map -> map(map, where, depth);
      default ->
          throw new ChatTemplateException(
              where + " is a " + plain.getClass().getName() + ", which a template cannot use");
    };
  }

  private static List<Object> list(List<?> plain, String where, int depth) {
    List<Object> values = new ArrayList<>(plain.size());
    for (Object item : plain) {
      values.add(fromJava(item, where + "[" + values.size() + "]", depth + 1));
    }
    return values;
  }

  private static Map<Object, Object> map(Map<?, ?> plain, String where, int depth) {
    Map<Object, Object> values = LinkedHashMap.newLinkedHashMap(plain.size());
    plain.forEach(
        (key, value) ->
            values.put(
                fromJava(key, where, depth + 1), fromJava(value, where + "." + key, depth + 1)));
    return values;
  }

  /** The value as a key of a dict; rejects values that Python cannot hash. */
  public static Object hashableKey(Object key) {
    if (!isHashable(key)) {
      throw new ChatTemplateException("unhashable type: '" + typeName(key) + "'");
    }
    return key instanceof Markup markup ? markup.text() : key;
  }

  public static boolean isHashable(Object key) {
    return !(key instanceof Map || key instanceof List); // a tuple could be; no template needs it
  }

  /** The number as a double; a bool counts as 0 or 1. */
  public static double toDouble(Object number) {
    return switch (number) {
      case Boolean flag -> flag ? 1 : 0;
      case Long value -> value;
      case BigInteger value -> value.doubleValue();
      default -> (Double) number;
    };
  }

  private static Iterator<PyString> characters(PyString string) {
    String text = string.text();
    return IntStream.iterate(
            0, i -> i < text.length(), i -> i + Character.charCount(text.codePointAt(i)))
        .mapToObj(i -> string.substring(i, i + Character.charCount(text.codePointAt(i))))
        .iterator();
  }
}
