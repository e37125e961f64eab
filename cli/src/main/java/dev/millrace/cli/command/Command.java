package dev.millrace.cli.command;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.core.store.StoreException;
import java.io.IOException;

/** A command of the program {@code millrace}. */
public interface Command {
  Syntax syntax();

  /**
   * Runs the command and returns its exit status.
   *
   * @throws UsageException if the arguments do not fit together
   * @throws CommandException if the request cannot be fulfilled
   * @throws StoreException if the workspace cannot be read or written
   */
  int run(Shell shell, Arguments arguments) throws IOException, InterruptedException;

  /** The exit status after a wrong command line. */
  default int usageStatus() {
    return ExitCode.USAGE;
  }

  /** Whether its log is its output. */
  default boolean logsToOutput() {
    return false;
  }

  /** Whether the log starts at INFO, as of a server, not at WARNING. */
  default boolean logsAtInfo() {
    return logsToOutput();
  }
}
