package dev.millrace.cli.network;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.config.ConfigurationUse;
import dev.millrace.cli.options.NetworkOptions;
import dev.millrace.cli.options.NodeOptions;
import dev.millrace.cluster.NodeSettings;
import java.util.ArrayList;
import java.util.List;

/** {@code millrace node}: holds layers of models and computes them for servers. */
public final class NodeCommand implements Command {
  @Override
  public Syntax syntax() {
    List<Option> options = new ArrayList<>(NodeOptions.ALL);
    options.add(NetworkOptions.CONFIG);
    options.add(Option.flag(Option.JSON.name(), "")); // rejected with a hint
    return new Syntax(
        "node",
        List.of(
            "--key-file F --layers MODEL:FROM-TO... [options]",
            "--key-file F --memory SIZE [options]",
            "--config F.toml [options]"),
        "Computes some layers of a model for the servers of a network.",
        options,
        """
        A server with --end-model builds a pipe of such nodes as soon as they have all layers. The
        first node of a network has no --join; it listens at 127.0.0.1:5000 by default. An option
        overrides the configuration. The first SIGINT or SIGTERM leaves the network and exits with
        0, the second exits at once with 130. The log goes to stdout.
        Examples (more in docs/pipes.md):
          millrace keygen net.key
          millrace node --name a --listen 127.0.0.1:5100 --key-file net.key --layers house:1-3
          millrace node --name b --listen 127.0.0.1:5110 --join 127.0.0.1:5100 --key-file net.key \\
            --memory 512M --models ./models\
        """);
  }

  @Override
  public boolean logsToOutput() {
    return true;
  }

  @Override
  public int run(Shell shell, Arguments given) {
    given.requireAtMost(0);
    if (given.has(Option.JSON)) {
      throw new UsageException(
          "--json: a node prints its log; the command \"nodes\" describes it as JSON");
    }
    return new NodeRun(settings(shell, given)).run();
  }

  static NodeSettings settings(Shell shell, Arguments words) {
    return NodeOptions.settings(
        shell, NetworkOptions.configured(shell, words, NodeOptions.ALL, ConfigurationUse.NODE));
  }
}
