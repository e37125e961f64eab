package dev.millrace.cli;

import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.EntryText;
import dev.millrace.core.rules.Fact;

/** An entry of a job's log as a line for people. */
final class EventText {
  private static final int WIDTH = 2_000;

  private EventText() {}

  static String of(Entry entry) {
    return Times.clock(entry.at()) + "  " + Printable.line(text(entry.fact()), WIDTH);
  }

  /** A server tells its log in such words already, as lines of the job itself. */
  private static String text(Fact fact) {
    return fact instanceof Fact.Line(int stage, _, String level, String line)
            && stage == 0
            && level.equals("info")
        ? line
        : EntryText.of(fact, Times::clock);
  }
}
