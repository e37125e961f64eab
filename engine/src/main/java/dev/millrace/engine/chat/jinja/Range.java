package dev.millrace.engine.chat.jinja;

import java.util.AbstractList;
import java.util.RandomAccess;

/** Python's range: its numbers are computed, not kept. */
final class Range extends AbstractList<Object> implements RandomAccess {
  /** The sandbox of jinja2 has the same limit. */
  private static final int MOST = 100_000;

  private final long start;
  private final long step;
  private final int size;
  private final String text;

  Range(long start, long stop, long step) {
    if (step == 0) {
      throw new TemplateException("range() arg 3 must not be zero");
    }
    double exact = Math.ceil(((double) stop - start) / step);
    if (exact > MOST) {
      throw new TemplateException("a range of more than " + MOST + " numbers");
    }
    this.start = start;
    this.step = step;
    this.size = Math.max(0, (int) exact);
    this.text = "range(" + start + ", " + stop + (step == 1 ? "" : ", " + step) + ")";
  }

  static Range of(Arguments args) {
    args.accept("range", "start", "stop", "step");
    long first = Types.integer(args.required(0, "start"), "range");
    if (args.positional().size() < 2) {
      return new Range(0, first, 1);
    }
    return new Range(
        first, Types.integer(args.required(1, "stop"), "range"), args.integer(2, "step", 1));
  }

  @Override
  public Object get(int index) {
    return start + index * step;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public String toString() {
    return text;
  }
}
