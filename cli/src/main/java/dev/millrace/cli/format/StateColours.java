package dev.millrace.cli.format;

import dev.millrace.cli.terminal.Colour;

/** One colour for the same thing in every table: states of jobs, stages and tasks share names. */
public final class StateColours {
  private StateColours() {}

  public static Colour of(Enum<?> state) {
    return switch (state.name()) {
      case "COMPLETED" -> Colour.GREEN;
      case "FAILED" -> Colour.RED;
      case "IN_PROGRESS" -> Colour.BLUE;
      case "PAUSED", "WAITING", "RETRIED" -> Colour.YELLOW;
      case "ABORTED", "CREATED" -> Colour.GREY;
      default -> Colour.NONE;
    };
  }
}
