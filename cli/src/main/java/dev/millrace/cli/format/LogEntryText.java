package dev.millrace.cli.format;

import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.cli.terminal.TimeText;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.FactText;
import dev.millrace.core.event.LogEntry;

/** Formats an entry of a job's log as a line of text. */
public final class LogEntryText {
  private static final int WIDTH = 2_000;

  private LogEntryText() {}

  public static String of(LogEntry entry) {
    return TimeText.clock(entry.at()) + "  " + SanitizedText.line(text(entry.fact()), WIDTH);
  }

  /** Over HTTP, the log arrives as such lines already. */
  private static String text(Fact fact) {
    return fact instanceof Fact.WorkerLogLine(int stage, _, String level, String line)
            && stage == 0
            && level.equals("info")
        ? line
        : FactText.of(fact, TimeText::clock);
  }
}
