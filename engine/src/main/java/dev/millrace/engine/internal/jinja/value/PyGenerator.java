package dev.millrace.engine.internal.jinja.value;

import java.util.Iterator;

/**
 * Python's generator, the result of filters such as {@code map} and {@code select}: it can be
 * iterated once, and has no length, items or JSON.
 */
public record PyGenerator(Iterator<?> items) {
  public static PyGenerator of(Iterable<?> items) {
    return new PyGenerator(items.iterator());
  }
}
