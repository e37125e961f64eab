package dev.millrace.cli.batch;

import dev.millrace.cli.command.CommandException;
import java.util.ArrayList;
import java.util.List;

/** Collects the first problems of a batch file. */
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
   * @param field its path; empty if the problem is about the whole line
   */
  void add(int line, String field, String rule) {
    count++;
    lastLine = line;
    if (shown.size() < SHOWN) {
      shown.add("line " + line + (field.isEmpty() ? "" : ": " + field) + " " + rule);
    }
  }

  /** Whether this line, the last one checked, has a problem. */
  boolean has(int line) {
    return lastLine == line;
  }

  /** Throws an error with all problems if there are any. */
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
