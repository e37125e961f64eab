package dev.millrace.engine.internal.jinja;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The items that pass a test. The test runs only when the next item is requested, because the
 * loop's body may change its outcome.
 */
final class FilteredIterator implements Iterator<Object> {
  private final Iterator<?> items;
  private final Predicate<Object> test;
  private @Nullable Object next;

  FilteredIterator(Iterator<?> items, Predicate<Object> test) {
    this.items = items;
    this.test = test;
  }

  @Override
  public boolean hasNext() {
    while (next == null && items.hasNext()) {
      Object item = items.next();
      next = test.test(item) ? item : null;
    }
    return next != null;
  }

  @Override
  public Object next() {
    Object item = hasNext() ? next : null;
    if (item == null) {
      throw new NoSuchElementException();
    }
    next = null;
    return item;
  }
}
