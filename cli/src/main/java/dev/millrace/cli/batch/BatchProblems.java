package dev.millrace.cli.batch;

import dev.millrace.cli.command.CommandException;
import java.util.ArrayList;
import java.util.List;

/** What is wrong with a file, as far as it is worth reading. */
final class BatchProblems {
  private static final int SHOWN = 20;

  private final String name;
  private final List<String> shown = new ArrayList<>();
  private int count;
  private int lastLine;

  BatchProblems(String name) {
    this.name = name;
  }

  /**
   * @param field by its path; empty where it is about the line
   */
  void add(int line, String field, String rule) {
    count++;
    lastLine = line;
    if (shown.size() < SHOWN) {
      shown.add("line " + line + (field.isEmpty() ? "" : ": " + field) + " " + rule);
    }
  }

  /** Whether there is one in this line, the last that was looked at. */
  boolean has(int line) {
    return lastLine == line;
  }

  /** Refuses the file if there is anything. */
  void throwIfAny() {
    if (count > 0) {
      throw new CommandException(
          name
              + " was not submitted:\n  "
              + String.join("\n  ", shown)
              + (count > shown.size() ? "\n  and " + (count - shown.size()) + " more" : ""));
    }
  }
}
