package dev.millrace.engine.internal.jinja.operation;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.internal.jinja.value.None;
import dev.millrace.engine.internal.jinja.value.PyTypes;

/**
 * Python's rule for {@code [start:stop:step]}: the indexes {@code from, from + by, ...} of a
 * sequence, {@code count} in all.
 */
record SliceIndexes(int from, int by, int count) {
  static SliceIndexes of(int length, Object start, Object stop, Object step) {
    // A step beyond the length leaves the sequence at once, however large it is.
    int by =
        step == None.NONE
            ? 1
            : (int) Math.clamp(PyTypes.integer(step, "a slice"), -length - 1L, length + 1L);
    if (by == 0) {
      throw new ChatTemplateException("slice step cannot be zero");
    }
    int from = bound(start, length, by, by > 0 ? 0 : length - 1);
    int to = bound(stop, length, by, by > 0 ? length : -1);
    int distance = by > 0 ? to - from : from - to;
    int stride = Math.abs(by);
    return new SliceIndexes(from, by, distance <= 0 ? 0 : (distance - 1) / stride + 1);
  }

  private static int bound(Object value, int length, int by, int otherwise) {
    if (value == None.NONE) {
      return otherwise;
    }
    long i = PyTypes.integer(value, "a slice");
    long fromStart = i < 0 ? i + length : i;
    return by > 0 ? Math.clamp(fromStart, 0, length) : Math.clamp(fromStart, -1, length - 1);
  }

  int index(int i) {
    return from + i * by;
  }
}
