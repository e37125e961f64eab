package dev.millrace.cli.network;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.Shell;
import dev.millrace.cluster.NodeState;
import java.util.List;

/** {@code millrace nodes}: lists the nodes of a network and the layers that they hold. */
public final class NodesCommand implements Command {
  @Override
  public Syntax syntax() {
    return new Syntax(
        "nodes",
        List.of(
            "--join HOST:PORT --key-file F [--json] [--watch]",
            "--config F.toml [--json] [--watch]"),
        "Shows the nodes of a network: what each holds, its memory, speed and sessions.",
        NetworkQuery.options(),
        """
        Any member can be asked. HOLDS is a model and its layers, both inclusive; SPEED the bytes of
        weights per second in a step of one token; SESSIONS the pipes through the node; PASSAGES the
        sequences in its KV cache. With --json, one object.\
        """);
  }

  @Override
  public int run(Shell shell, Arguments given) throws InterruptedException {
    NetworkQuery query = NetworkQuery.of(shell, given);
    boolean json = given.has(Option.JSON);
    return query.print(states -> text(shell, states, json));
  }

  private static String text(Shell shell, List<NodeState> states, boolean json) {
    return json ? NodeListText.json(states) : NodeListText.table(states, shell.colourful());
  }
}
