package dev.millrace.store.fs.internal.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.StringJoiner;

/** The steps of a run: a hash of all, the last ones to read. */
final class StepTrace {
  private static final int SHOWN = 60;

  private record Step(long number, long nanos, String thread, String what, Object on) {
    @Override
    public String toString() {
      return "%6d %12.3f ms  %-12s %s %s".formatted(number, nanos / 1e6, thread, what, on);
    }
  }

  private final Deque<Step> last = new ArrayDeque<>();
  private long steps;
  private long hash;

  /** Adds a step; {@code on} must have a text that depends on the seed alone. */
  void add(long nanos, String thread, String what, Object on) {
    steps++;
    hash = hash * 31 + thread.hashCode();
    hash = hash * 31 + what.hashCode();
    hash = hash * 31 + on.toString().hashCode();
    hash = hash * 31 + nanos;
    if (last.size() == SHOWN) {
      last.removeFirst();
    }
    last.addLast(new Step(steps, nanos, thread, what, on));
  }

  long steps() {
    return steps;
  }

  long hash() {
    return hash;
  }

  @Override
  public String toString() {
    StringJoiner lines = new StringJoiner("\n");
    last.forEach(step -> lines.add(step.toString()));
    return lines.toString();
  }
}
