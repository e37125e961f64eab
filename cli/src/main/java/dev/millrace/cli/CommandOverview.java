package dev.millrace.cli;

import dev.millrace.cli.args.Suggestion;
import dev.millrace.cli.command.ErrorPrinter;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.HelpText;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SuggestedCommand;
import org.jspecify.annotations.Nullable;

/** The overview of all commands, and the error for an unknown one. */
final class CommandOverview {
  private CommandOverview() {}

  static int print(Shell shell) {
    StringBuilder out = new StringBuilder("Usage: millrace COMMAND [ARGUMENT...]\n\n");
    out.append("Durable, asynchronous LLM inference.\n\nCommands:\n");
    for (CommandRegistry.Entry entry : CommandRegistry.ALL) {
      int from = out.length();
      out.append("  ").append(entry.name());
      out.repeat(' ', 12 - (out.length() - from)).append(entry.summary()).append('\n');
    }
    out.append(
        """

        "millrace COMMAND --help" explains a command. For example:
          millrace work ./ws "What is a mill race?"      prints the job's id
          millrace flow ./ws -w ID                       waits for its result
        """);
    shell.out().print(HelpText.withLauncher(out.toString()));
    return ExitCode.OK;
  }

  static int unknown(ErrorPrinter errors, String name) {
    @Nullable String close = Suggestion.closest(name, CommandRegistry.names());
    errors.printUsage(
        "unknown command: " + name + (close == null ? "" : "; did you mean " + close + "?"),
        SuggestedCommand.of("help"));
    return ExitCode.USAGE;
  }
}
