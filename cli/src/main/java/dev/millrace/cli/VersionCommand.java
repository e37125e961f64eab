package dev.millrace.cli;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.Version;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.util.List;

/** {@code millrace version}: prints the version. */
final class VersionCommand implements Command {
  @Override
  public Syntax syntax() {
    return new Syntax("version", List.of(""), "Prints the version.", List.of(), "");
  }

  @Override
  public int run(Shell shell, Arguments arguments) {
    arguments.requireAtMost(0);
    if (arguments.has(Option.JSON)) {
      JsonObject out = JsonObject.create().put("version", Version.number());
      shell.out().println(Json.write(out.put("java", Runtime.version().toString())));
    } else {
      shell.out().println("millrace " + Version.number());
    }
    return ExitCode.OK;
  }
}
