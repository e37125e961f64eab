package dev.millrace.cli.network;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.Shell;
import java.util.List;

/** {@code millrace pipes}: shows the pipes of a network, and the layers that are missing. */
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
        A character stands for a layer, or for several of a large model, then for the worst of them:
        = loaded, ~ being loaded, X missing; | separates nodes. Models are identified by their hash:
        a line warns if two models with the same name differ. With --json, one object.\
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
