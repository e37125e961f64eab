package dev.millrace.cli.options;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.command.EnvironmentVariables;
import dev.millrace.cli.command.Shell;

/** Reads how many tasks run at once: from the option, else from an environment variable. */
public final class SlotOptions {
  public static final Option SLOTS =
      Option.wholeNumber(
          "slots",
          "N",
          "tasks at once: sequences of a model (default 16), or\n"
              + "programs (default 4); or MILLRACE_SLOTS, NRVNA_WORKERS");

  /** The engine's limit for one batch. */
  private static final int MAX_SEQUENCES = 512;

  private static final int MAX_PROGRAMS = 1_000;
  private static final int USUAL_SEQUENCES = 16;
  private static final int USUAL_PROGRAMS = 4;

  private SlotOptions() {}

  /** Sequences of a model at once. */
  public static int sequences(Shell shell, Arguments given) {
    return slots(shell, given, MAX_SEQUENCES, USUAL_SEQUENCES);
  }

  /** Programs at once. */
  public static int programs(Shell shell, Arguments given) {
    return slots(shell, given, MAX_PROGRAMS, USUAL_PROGRAMS);
  }

  private static int slots(Shell shell, Arguments given, int most, int otherwise) {
    if (given.has(SLOTS)) {
      return given.integer(SLOTS, 1, most, otherwise);
    }
    EnvironmentVariables variables = new EnvironmentVariables(shell);
    Integer slots = variables.integer(1, most, "SLOTS");
    Integer workers = slots == null ? variables.integer(1, most, "WORKERS") : slots;
    return workers == null ? otherwise : workers;
  }
}
