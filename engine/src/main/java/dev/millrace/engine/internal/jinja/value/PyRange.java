package dev.millrace.engine.internal.jinja.value;

import dev.millrace.engine.error.ChatTemplateException;
import java.util.AbstractList;
import java.util.RandomAccess;

/** Python's range: its numbers are computed, not stored. */
public final class PyRange extends AbstractList<Object> implements RandomAccess {
  /** The sandbox of jinja2 has the same limit. */
  private static final int MOST = 100_000;

  private final long start;
  private final long step;
  private final int size;
  private final String text;

  PyRange(long start, long stop, long step) {
    if (step == 0) {
      throw new ChatTemplateException("range() arg 3 must not be zero");
    }
    double exact = Math.ceil(((double) stop - start) / step);
    if (exact > MOST) {
      throw new ChatTemplateException("a range of more than " + MOST + " numbers");
    }
    this.start = start;
    this.step = step;
    this.size = Math.max(0, (int) exact);
    this.text = "range(" + start + ", " + stop + (step == 1 ? "" : ", " + step) + ")";
  }

  public static PyRange of(PyArguments args) {
    args.requireOnly("range", "start", "stop", "step");
    long first = PyTypes.integer(args.required(0, "start"), "range");
    if (args.positional().size() < 2) {
      return new PyRange(0, first, 1);
    }
    return new PyRange(
        first, PyTypes.integer(args.required(1, "stop"), "range"), args.integer(2, "step", 1));
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
