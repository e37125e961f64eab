package dev.millrace.cli;

/** One colour for the same thing in every table: states of jobs, stages and tasks share names. */
final class StateColours {
  private StateColours() {}

  static Colour of(Enum<?> state) {
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
