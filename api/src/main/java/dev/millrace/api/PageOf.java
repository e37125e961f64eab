package dev.millrace.api;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list.
 *
 * @param next the cursor of the next page; null on the last page
 */
public record PageOf<T>(List<T> items, @Nullable String next) {
  public PageOf {
    items = List.copyOf(items);
  }

  /** The whole list, fetched page by page; {@code read} gets null first, then each cursor. */
  public static <T> Stream<T> stream(Function<@Nullable String, PageOf<T>> read) {
    return StreamSupport.stream(
        Spliterators.spliteratorUnknownSize(new PageIterator<>(read), Spliterator.ORDERED), false);
  }

  private static final class PageIterator<T> implements Iterator<T> {
    private final Function<@Nullable String, PageOf<T>> read;
    private final Queue<T> page = new ArrayDeque<>();
    private @Nullable String cursor;
    private boolean last;

    PageIterator(Function<@Nullable String, PageOf<T>> read) {
      this.read = read;
    }

    @Override
    public boolean hasNext() {
      while (page.isEmpty() && !last) {
        PageOf<T> fetched = read.apply(cursor);
        page.addAll(fetched.items());
        cursor = fetched.next();
        last = cursor == null;
      }
      return !page.isEmpty();
    }

    @Override
    public T next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return page.remove();
    }
  }
}
