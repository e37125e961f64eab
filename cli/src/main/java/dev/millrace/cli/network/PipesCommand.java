package dev.millrace.cli.network;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.Shell;
import java.util.List;

/** {@code millrace pipes}: the ways through models, and what is missing for more. */
public final class PipesCommand implements Command {
  @Override
  public Syntax syntax() {
    return new Syntax(
        "pipes",
        List.of(
            "--join HOST:PORT --key-file F [--json] [--watch]",
            "--config F.toml [--json] [--watch]"),
        "Shows the pipes of a network: for each origin and model, who computes which layers.",
        NetworkQuery.options(),
        """
        A sign stands for a layer, or for several of a large model, then for the worst of them: = it
        is there, ~ it is on its way, X nobody has it; | is where another node begins. Models are
        told apart by their hash: where two of the same name differ, a line says so. With --json,
        one object.\
        """);
  }

  @Override
  public int run(Shell shell, Arguments given) throws InterruptedException {
    NetworkQuery query = NetworkQuery.of(shell, given);
    boolean json = given.has(Option.JSON);
    return query.print(
        states -> json ? PipeListText.json(states) : PipeListText.text(states, shell.colourful()));
  }
}
