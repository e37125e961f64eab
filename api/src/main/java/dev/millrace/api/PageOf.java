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
 * A part of a list.
 *
 * @param next the cursor to ask on with; null where this is the last part
 */
public record PageOf<T>(List<T> items, @Nullable String next) {
  public PageOf {
    items = List.copyOf(items);
  }

  /** The whole list, page by page as it is read; {@code read} gets null, then each cursor. */
  public static <T> Stream<T> stream(Function<@Nullable String, PageOf<T>> read) {
    return StreamSupport.stream(
        Spliterators.spliteratorUnknownSize(new All<>(read), Spliterator.ORDERED), false);
  }

  private static final class All<T> implements Iterator<T> {
    private final Function<@Nullable String, PageOf<T>> read;
    private final Queue<T> page = new ArrayDeque<>();
    private @Nullable String cursor;
    private boolean last;

    All(Function<@Nullable String, PageOf<T>> read) {
      this.read = read;
    }

    @Override
    public boolean hasNext() {
      while (page.isEmpty() && !last) {
        PageOf<T> more = read.apply(cursor);
        page.addAll(more.items());
        cursor = more.next();
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
