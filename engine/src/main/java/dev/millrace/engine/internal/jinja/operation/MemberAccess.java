package dev.millrace.engine.internal.jinja.operation;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.value.LoopVariable;
import dev.millrace.engine.internal.jinja.value.MacroValue;
import dev.millrace.engine.internal.jinja.value.Markup;
import dev.millrace.engine.internal.jinja.value.PyText;
import dev.millrace.engine.internal.jinja.value.PyTypes;
import dev.millrace.engine.internal.jinja.value.RenderBudget;
import dev.millrace.engine.internal.jinja.value.TemplateNamespace;
import dev.millrace.engine.internal.jinja.value.Tuple;
import dev.millrace.engine.internal.jinja.value.Undefined;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates {@code a.b}, {@code a[b]} and {@code a[b:c]}. A dot prefers the methods of a value to
 * its items, brackets the other way round.
 */
public final class MemberAccess {
  private final RenderBudget budget;
  private final StringMethods strings;
  private final ContainerMethods containers;

  public MemberAccess(RenderBudget budget) {
    this.budget = budget;
    this.strings = new StringMethods(budget);
    this.containers = new ContainerMethods(budget);
  }

  public Object attribute(Object of, String name) {
    if (of instanceof Undefined undefined) {
      throw undefined.toException();
    }
    Object own = own(of, name);
    if (own != null) {
      return own;
    }
    Object item = of instanceof Map<?, ?> map ? map.get(name) : null;
    return item != null ? item : Undefined.attribute(of, name);
  }

  public Object item(Object of, Object key) {
    if (of instanceof Undefined undefined) {
      throw undefined.toException();
    }
    budget.chargeRead(of instanceof String ? of : key);
    Object item =
        switch (of) {
          case Map<?, ?> map -> PyTypes.isHashable(key) ? map.get(key) : null;
          case List<?> list ->
              key instanceof Long || key instanceof Boolean
                  ? at(list, PyTypes.integer(key, "an index"))
                  : null;
          case String text -> key instanceof Long index ? character(text, index) : null;
          case Markup markup -> key instanceof Long index ? character(markup.text(), index) : null;
          default -> null;
        };
    if (item != null) {
      return item;
    }
    if (!PyTypes.isText(key)) {
      return Undefined.element(of, key);
    }
    Object own = own(of, PyText.str(key));
    return own != null ? own : Undefined.attribute(of, PyText.str(key));
  }

  /** The method or attribute of the value itself; null if there is none of that name. */
  private @Nullable Object own(Object of, String name) {
    return switch (of) {
      case String text -> strings.method(text, name);
      case Markup markup -> strings.method(markup.text(), name);
      case Map<?, ?> map -> containers.ofDict(map, name);
      case List<?> list -> containers.ofList(list, name);
      case TemplateNamespace namespace -> namespace.attributes().get(name);
      case LoopVariable loop -> loop.attribute(name);
      case MacroValue macro when name.equals("name") -> macro.name();
      default -> null;
    };
  }

  private static @Nullable Object at(List<?> list, long index) {
    long i = index < 0 ? index + list.size() : index;
    return i >= 0 && i < list.size() ? list.get((int) i) : null;
  }

  private static @Nullable Object character(String text, long index) {
    long length = PyTypes.length(text);
    long i = index < 0 ? index + length : index;
    if (i < 0 || i >= length) {
      return null;
    }
    return Character.toString(text.codePointAt(text.offsetByCodePoints(0, (int) i)));
  }

  public Object slice(Object of, Object start, Object stop, Object step) {
    budget.chargeRead(of);
    return switch (of) {
      case Undefined undefined -> throw undefined.toException();
      case String text -> slice(text, start, stop, step);
      case Markup markup -> slice(markup.text(), start, stop, step);
      case List<?> list -> {
        SliceIndexes slice = SliceIndexes.of(list.size(), start, stop, step);
        List<Object> part = new ArrayList<>(slice.count());
        for (int i = 0; i < slice.count(); i++) {
          part.add(list.get(slice.index(i)));
        }
        yield of instanceof Tuple ? new Tuple(part) : part;
      }
      default ->
          throw new ChatTemplateException("'" + PyTypes.typeName(of) + "' object cannot be sliced");
    };
  }

  private static String slice(String text, Object start, Object stop, Object step) {
    int[] points = text.codePoints().toArray();
    SliceIndexes slice = SliceIndexes.of(points.length, start, stop, step);
    StringBuilder part = new StringBuilder(slice.count());
    for (int i = 0; i < slice.count(); i++) {
      part.appendCodePoint(points[slice.index(i)]);
    }
    return part.toString();
  }
}
