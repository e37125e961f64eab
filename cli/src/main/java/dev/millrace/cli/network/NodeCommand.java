package dev.millrace.cli.network;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.MemorySize;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.LauncherName;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.options.CacheDirectory;
import dev.millrace.cli.options.EngineOptions;
import dev.millrace.cli.options.HostName;
import dev.millrace.cli.options.NetworkOptions;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ConfiguredLayers;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NodeSettings;
import dev.millrace.engine.api.EngineSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code millrace node}: holds layers of models and computes them for servers. */
public final class NodeCommand implements Command {
  static final Option NAME =
      Option.value("name", "NAME", "the node's name (default: this machine's name)");
  static final Option LAYERS =
      Option.value(
              "layers",
              "FILE:FROM-TO",
              "hold these layers of a GGUF file, both inclusive;\n"
                  + "FILE:N for one, FILE alone for all (repeatable)")
          .many();
  static final Option MEMORY =
      Option.value(
          "memory",
          "SIZE",
          "hold layers that servers ask for, up to this memory,\n"
              + "caches and --layers included, such as 4G");
  static final Option MODELS =
      Option.value(
              "models",
              "PATH",
              "model files, or their directory, for layers that servers\n"
                  + "ask for; others are fetched from nodes (repeatable)")
          .many();
  static final Option MAX_ORIGINS =
      Option.wholeNumber(
          "max-origins",
          "N",
          "maximum number of pipes through it (default " + NodeSettings.DEFAULT_MAX_SESSIONS + ")");
  static final HostPort USUAL = new HostPort("127.0.0.1", 5000);

  private static final List<Option> OPTIONS =
      List.of(
          NAME,
          NetworkOptions.LISTEN,
          NetworkOptions.ADVERTISE,
          NetworkOptions.JOIN,
          NetworkOptions.KEY,
          NetworkOptions.CERT,
          NetworkOptions.CERT_KEY,
          NetworkOptions.CA,
          NetworkOptions.ALLOW,
          LAYERS,
          MEMORY,
          MODELS,
          CacheDirectory.OPTION,
          EngineOptions.THREADS,
          MAX_ORIGINS);

  /** Options that a configuration file may set. */
  static List<Option> configurable() {
    return OPTIONS;
  }

  @Override
  public Syntax syntax() {
    List<Option> options = new ArrayList<>(OPTIONS);
    options.add(NetworkOptions.CONFIG);
    options.add(Option.flag(Option.JSON.name(), "")); // rejected with a hint
    return new Syntax(
        "node",
        List.of(
            "--key-file F --layers FILE:FROM-TO... [options]",
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
          "--json: a node prints its log; \""
              + LauncherName.MILLRACE
              + " nodes --json\" describes it");
    }
    return new NodeRun(settings(shell, given)).run();
  }

  static NodeSettings settings(Shell shell, Arguments words) {
    Arguments given = NetworkOptions.configured(shell, words, OPTIONS);
    if (!given.has(LAYERS) && !given.has(MEMORY)) {
      throw new UsageException(
          "this node would hold no layers: pass --layers FILE:FROM-TO, or --memory SIZE for"
              + " layers that servers ask for, or both");
    }
    String memory = given.get(MEMORY);
    String name = given.get(NAME);
    try {
      return new NodeSettings(
          NetworkOptions.settings(
              shell, given, NAME, name == null ? HostName.of(shell) : name, USUAL),
          layers(shell, given),
          memory == null ? 0 : MemorySize.parse(given.shown(MEMORY), memory),
          given.integer(EngineOptions.THREADS, 1, 1024, EngineSettings.usual().threads()),
          EngineOptions.kernels(shell),
          given.integer(MAX_ORIGINS, 1, 1024, NodeSettings.DEFAULT_MAX_SESSIONS),
          modelPaths(shell, given),
          CacheDirectory.of(shell, given));
    } catch (ClusterException e) {
      throw new UsageException(e.getMessage());
    }
  }

  private static List<ConfiguredLayers> layers(Shell shell, Arguments given) {
    List<ConfiguredLayers> layers = new ArrayList<>();
    for (String text : given.all(LAYERS)) {
      layers.add(LayerChoice.of(shell, given.shown(LAYERS), text));
    }
    return layers;
  }

  private static List<Path> modelPaths(Shell shell, Arguments given) {
    List<Path> paths = new ArrayList<>();
    for (String text : given.all(MODELS)) {
      Path path = shell.path(text).toAbsolutePath().normalize();
      if (!Files.isReadable(path)) {
        throw new CommandException(
            given.shown(MODELS)
                + ": there is nothing at "
                + SanitizedText.line(path.toString(), 500)
                + " that can be read");
      }
      paths.add(path);
    }
    return paths;
  }
}
