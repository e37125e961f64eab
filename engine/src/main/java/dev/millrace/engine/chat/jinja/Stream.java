package dev.millrace.engine.chat.jinja;

import java.util.Iterator;

/**
 * Python's generator, what filters such as {@code map} and {@code select} give: it can be gone
 * through once, and has no length, items or JSON.
 */
record Stream(Iterator<?> items) {
  static Stream of(Iterable<?> items) {
    return new Stream(items.iterator());
  }
}
