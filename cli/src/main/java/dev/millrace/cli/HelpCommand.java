package dev.millrace.cli;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.util.List;

/** {@code millrace help}: all commands, or one. */
final class HelpCommand implements Command {
  @Override
  public Syntax syntax() {
    return new Syntax("help", List.of("[COMMAND]"), "Explains a command.", List.of(), "");
  }

  @Override
  public int run(Shell shell, Arguments arguments) {
    arguments.atMost(1);
    if (!arguments.words().isEmpty()) {
      Command command = Commands.find(arguments.words().getFirst());
      if (command == null) {
        return Usage.unknown(shell, arguments.words().getFirst());
      }
      shell.out().print(command.syntax().help());
      return ExitCode.OK;
    }
    if (arguments.has(Option.JSON)) {
      for (Commands.Entry entry : Commands.ALL) {
        JsonObject line = JsonObject.create().put("command", entry.name());
        shell.out().println(Json.write(line.put("summary", entry.summary())));
      }
      return ExitCode.OK;
    }
    return Usage.print(shell);
  }
}
