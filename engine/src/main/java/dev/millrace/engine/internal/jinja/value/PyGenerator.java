package dev.millrace.engine.internal.jinja.value;

import java.util.Iterator;

/**
 * Python's generator, what filters such as {@code map} and {@code select} give: it can be gone
 * through once, and has no length, items or JSON.
 */
public record PyGenerator(Iterator<?> items) {
  public static PyGenerator of(Iterable<?> items) {
    return new PyGenerator(items.iterator());
  }
}
