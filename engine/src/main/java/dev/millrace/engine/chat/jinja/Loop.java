package dev.millrace.engine.chat.jinja;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The {@code loop} of a {@code for}. Items are drawn as they are needed, one ahead where the
 * template asks what comes.
 */
final class Loop {
  private static final Object NOTHING = new Object();

  private final Budget budget;
  private Iterator<?> items;
  private long index0 = -1;
  private Object previous = NOTHING;
  private Object current = NOTHING;
  private Object next = NOTHING;
  private Object watched = NOTHING;
  private long length = -1;

  Loop(Iterator<?> items, Budget budget) {
    this.items = items;
    this.budget = budget;
  }

  boolean hasNext() {
    if (next == NOTHING && items.hasNext()) {
      next = items.next();
    }
    return next != NOTHING;
  }

  /** Only after {@link #hasNext} said so. */
  Object next() {
    previous = current;
    current = next;
    next = NOTHING;
    index0++;
    return current;
  }

  /** How many items there are in all; draws those that are left. */
  long length() {
    if (length < 0) {
      List<Object> rest = new ArrayList<>();
      items.forEachRemaining(rest::add);
      length = rest.size() + index0 + 1 + (next == NOTHING ? 0 : 1);
      items = rest.iterator();
    }
    return length;
  }

  /**
   * What Python's LoopContext gives when a template goes through {@code loop} itself is of no use
   * to any: refused.
   */
  Iterator<?> pairs() {
    throw new TemplateException("going through 'loop' itself is not supported");
  }

  /** The attribute; null when there is none of that name. */
  @Nullable Object attribute(String name) {
    return switch (name) {
      case "index" -> index0 + 1;
      case "index0" -> index0;
      case "revindex" -> length() - index0;
      case "revindex0" -> length() - index0 - 1;
      case "first" -> index0 == 0;
      case "last" -> !hasNext();
      case "length" -> length();
      case "depth" -> 1L; // only a recursive loop, which is refused, has more
      case "depth0" -> 0L;
      case "previtem" ->
          previous == NOTHING ? new Undefined("there is no previous item") : previous;
      case "nextitem" -> hasNext() ? next : new Undefined("there is no next item");
      case "cycle" -> (Callable) this::cycle;
      case "changed" -> (Callable) this::changed;
      default -> null;
    };
  }

  private Object cycle(Arguments args) {
    if (args.positional().isEmpty()) {
      throw new TemplateException("no items for cycling given");
    }
    return args.positional().get((int) (index0 % args.positional().size()));
  }

  private Object changed(Arguments args) {
    Tuple now = new Tuple(args.positional());
    boolean changed = watched == NOTHING || !Comparisons.equal(watched, now, budget);
    watched = now;
    return changed;
  }
}
