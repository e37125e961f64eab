package dev.millrace.cli;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.ErrorPrinter;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.HelpText;
import dev.millrace.cli.command.Shell;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.util.List;

/** {@code millrace help}: prints the overview of all commands, or the help of one. */
final class HelpCommand implements Command {
  @Override
  public Syntax syntax() {
    return new Syntax("help", List.of("[COMMAND]"), "Explains a command.", List.of(), "");
  }

  @Override
  public int run(Shell shell, Arguments arguments) {
    arguments.requireAtMost(1);
    if (!arguments.words().isEmpty()) {
      Command command = CommandRegistry.find(arguments.words().getFirst());
      if (command == null) {
        return CommandOverview.unknown(
            new ErrorPrinter(shell, arguments.has(Option.JSON)), arguments.words().getFirst());
      }
      Syntax syntax = command.syntax();
      String help = HelpText.of(syntax);
      if (arguments.has(Option.JSON)) {
        JsonObject line = JsonObject.create().put("command", syntax.command());
        shell.out().println(Json.write(line.put("summary", syntax.summary()).put("help", help)));
      } else {
        shell.out().print(help);
      }
      return ExitCode.OK;
    }
    if (arguments.has(Option.JSON)) {
      for (CommandRegistry.Entry entry : CommandRegistry.ALL) {
        JsonObject line = JsonObject.create().put("command", entry.name());
        shell.out().println(Json.write(line.put("summary", entry.summary())));
      }
      return ExitCode.OK;
    }
    return CommandOverview.print(shell);
  }
}
