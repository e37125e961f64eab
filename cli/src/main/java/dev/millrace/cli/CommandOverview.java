package dev.millrace.cli;

import dev.millrace.cli.args.Suggestion;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
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
    shell.out().print(out);
    return ExitCode.OK;
  }

  static int unknown(Shell shell, String name) {
    @Nullable String close = Suggestion.closest(name, CommandRegistry.names());
    shell
        .err()
        .println(
            "Error: unknown command: "
                + name
                + (close == null ? "" : "; did you mean " + close + "?"));
    shell.err().println("See: millrace help");
    return ExitCode.USAGE;
  }
}
