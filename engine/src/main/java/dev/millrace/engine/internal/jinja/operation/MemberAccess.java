package dev.millrace.engine.internal.jinja.operation;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.value.LoopVariable;
import dev.millrace.engine.internal.jinja.value.MacroValue;
import dev.millrace.engine.internal.jinja.value.Markup;
import dev.millrace.engine.internal.jinja.value.PyString;
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
    Object item = of instanceof Map<?, ?> map ? map.get(PyString.ofTemplate(name)) : null;
    return item != null ? item : Undefined.attribute(of, name);
  }

  public Object item(Object of, Object key) {
    if (of instanceof Undefined undefined) {
      throw undefined.toException();
    }
    budget.chargeRead(of instanceof PyString ? of : key);
    Object item =
        switch (of) {
          case Map<?, ?> map -> PyTypes.isHashable(key) ? map.get(key) : null;
          case List<?> list ->
              key instanceof Long || key instanceof Boolean
                  ? at(list, PyTypes.integer(key, "an index"))
                  : null;
          case PyString text -> key instanceof Long index ? character(text, index) : null;
          case Markup markup -> key instanceof Long index ? character(markup.text(), index) : null;
          default -> null;
        };
    if (item != null) {
      return item;
    }
    if (!PyTypes.isText(key)) {
      return Undefined.element(of, key);
    }
    String name = PyText.str(key).text();
    Object own = own(of, name);
    return own != null ? own : Undefined.attribute(of, name);
  }

  /** The method or attribute of the value itself; null if there is none of that name. */
  private @Nullable Object own(Object of, String name) {
    return switch (of) {
      case PyString text -> strings.method(text, name);
      case Markup markup -> strings.method(markup.text(), name);
      case Map<?, ?> map -> containers.ofDict(map, name);
      case List<?> list -> containers.ofList(list, name);
      case TemplateNamespace namespace -> namespace.attributes().get(PyString.ofTemplate(name));
      case LoopVariable loop -> loop.attribute(name);
      case MacroValue macro when name.equals("name") -> PyString.ofTemplate(macro.name());
      default -> null;
    };
  }

  private static @Nullable Object at(List<?> list, long index) {
    long i = index < 0 ? index + list.size() : index;
    return i >= 0 && i < list.size() ? list.get((int) i) : null;
  }

  private static @Nullable Object character(PyString string, long index) {
    long length = PyTypes.length(string);
    long i = index < 0 ? index + length : index;
    if (i < 0 || i >= length) {
      return null;
    }
    String text = string.text();
    int at = text.offsetByCodePoints(0, (int) i);
    return string.substring(at, at + Character.charCount(text.codePointAt(at)));
  }

  public Object slice(Object of, Object start, Object stop, Object step) {
    budget.chargeRead(of);
    return switch (of) {
      case Undefined undefined -> throw undefined.toException();
      case PyString text -> slice(text, start, stop, step);
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

  private static PyString slice(PyString string, Object start, Object stop, Object step) {
    String text = string.text();
    int length = (int) PyTypes.length(string);
    SliceIndexes slice = SliceIndexes.of(length, start, stop, step);
    PyString.Builder part = new PyString.Builder();
    int at = slice.count() == 0 ? 0 : text.offsetByCodePoints(0, slice.from());
    for (int i = 0; i < slice.count(); i++) {
      part.append(string, at, at + Character.charCount(text.codePointAt(at)));
      if (i + 1 < slice.count()) {
        at = text.offsetByCodePoints(at, slice.by());
      }
    }
    return part.build();
  }
}
