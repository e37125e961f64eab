package dev.millrace.cli.command;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.core.store.StoreException;
import java.io.IOException;

/** One of the things that {@code millrace} can be told to do. */
public interface Command {
  Syntax syntax();

  /**
   * Does it, and returns the exit status.
   *
   * @throws UsageException if the words make no sense together
   * @throws CommandException if it cannot be done
   * @throws StoreException if the workspace does not work
   */
  int run(Shell shell, Arguments arguments) throws IOException, InterruptedException;

  /** The exit status of a command line that was not understood. */
  default int usageStatus() {
    return ExitCode.USAGE;
  }

  /** Whether it is a server, whose log is its output: then the log starts at INFO. */
  default boolean logsToOutput() {
    return false;
  }
}
