package dev.millrace.engine.chat.jinja;

import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;

/** Python's tuple: a list that prints with parentheses and equals only tuples. */
sealed class Tuple extends AbstractList<Object> implements RandomAccess permits Group {
  private final List<?> items;

  Tuple(List<?> items) {
    this.items = items;
  }

  static Tuple of(Object... items) {
    return new Tuple(List.of(items));
  }

  @Override
  public final Object get(int index) {
    return items.get(index);
  }

  @Override
  public final int size() {
    return items.size();
  }
}
