package dev.millrace.engine.internal.jinja.value;

import dev.millrace.engine.error.ChatTemplateException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The variable {@code loop} inside a {@code for} statement. Items are read as they are needed, one
 * ahead if the template asks for the next one.
 */
public final class LoopVariable {
  private static final Object NOTHING = new Object();

  private final RenderBudget budget;
  private Iterator<?> items;
  private long index0 = -1;
  private Object previous = NOTHING;
  private Object current = NOTHING;
  private Object next = NOTHING;
  private Object watched = NOTHING;
  private long length = -1;

  public LoopVariable(Iterator<?> items, RenderBudget budget) {
    this.items = items;
    this.budget = budget;
  }

  public boolean hasNext() {
    if (next == NOTHING && items.hasNext()) {
      next = items.next();
    }
    return next != NOTHING;
  }

  /** Call it only after {@link #hasNext} returned true. */
  public Object next() {
    previous = current;
    current = next;
    next = NOTHING;
    index0++;
    return current;
  }

  /** The number of all items; reads those that are left. */
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
   * Rejects iteration over {@code loop} itself: what Python's LoopContext gives there is of no use
   * to a template.
   */
  Iterator<?> iterate() {
    throw new ChatTemplateException("iterating over 'loop' itself is not supported");
  }

  /** The attribute; null if there is none of that name. */
  public @Nullable Object attribute(String name) {
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
      case "cycle" -> (PyCallable) this::cycle;
      case "changed" -> (PyCallable) this::changed;
      default -> null;
    };
  }

  private Object cycle(PyArguments args) {
    if (args.positional().isEmpty()) {
      throw new ChatTemplateException("no items for cycling given");
    }
    return args.positional().get((int) (index0 % args.positional().size()));
  }

  private Object changed(PyArguments args) {
    Tuple now = new Tuple(args.positional());
    boolean changed = watched == NOTHING || !Comparisons.equal(watched, now, budget);
    watched = now;
    return changed;
  }
}
