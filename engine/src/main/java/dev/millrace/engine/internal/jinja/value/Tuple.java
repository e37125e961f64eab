package dev.millrace.engine.internal.jinja.value;

import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;

/** Python's tuple: a list that prints with parentheses and equals only tuples. */
public sealed class Tuple extends AbstractList<Object> implements RandomAccess permits GroupByPair {
  private final List<?> items;

  public Tuple(List<?> items) {
    this.items = items;
  }

  public static Tuple of(Object... items) {
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
