package dev.millrace.cli.format;

import dev.millrace.cli.terminal.Colour;

/** The colour of a state. States of jobs, stages and tasks with the same name share it. */
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
