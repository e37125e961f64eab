package dev.millrace.cli.options;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.MemorySize;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.config.ConfigurationFile;
import dev.millrace.cli.config.ConfigurationUse;
import dev.millrace.cli.config.LanguagePipesFile;
import dev.millrace.cli.model.MachineMemory;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ConfiguredLayers;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NodeMemory;
import dev.millrace.cluster.NodeSettings;
import dev.millrace.engine.api.EngineSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The options of a node that holds layers of models. */
public final class NodeOptions {
  static final Option NAME =
      Option.value("name", "NAME", "the node's name (default: this machine's name)");
  static final Option LAYERS =
      Option.value(
              "layers",
              "MODEL:FROM-TO",
              "hold these layers of a model, named as for \"serve\", both\n"
                  + "inclusive; MODEL:N for one, MODEL alone for all\n"
                  + "(repeatable)")
          .many();
  static final Option MEMORY =
      Option.value(
          "memory",
          "SIZE",
          "hold layers that servers ask for, too, up to this memory,\n"
              + "caches and --layers included, such as 4G (default: only\n"
              + "--layers, up to half of what the machine has)");
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

  /** In the order in which the help shows them. */
  public static final List<Option> ALL =
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
          EngineOptions.KERNELS,
          MAX_ORIGINS);

  /** Options that mean the same for a server and for layers in its process. */
  private static final List<Option> SHARED =
      List.of(
          NetworkOptions.JOIN,
          NetworkOptions.KEY,
          NetworkOptions.CERT,
          NetworkOptions.CERT_KEY,
          NetworkOptions.CA,
          NetworkOptions.ALLOW,
          NetworkOptions.CONFIG,
          CacheDirectory.OPTION,
          EngineOptions.THREADS,
          EngineOptions.KERNELS);

  private NodeOptions() {}

  /** The layers that a server's Language Pipes file has beside its end; null if it has none. */
  public static @Nullable NodeSettings besideServer(Shell shell, Arguments given) {
    String file = given.get(NetworkOptions.CONFIG);
    return file == null || !LanguagePipesFile.hasLayers(ConfigurationFile.parse(shell.path(file)))
        ? null
        : settings(
            shell,
            NetworkOptions.configured(
                shell, given.only(SHARED), SHARED, ConfigurationUse.LAYERS_OF_SERVER));
  }

  /** The settings by options that include the configuration's. */
  public static NodeSettings settings(Shell shell, Arguments given) {
    if (!given.has(LAYERS) && !given.has(MEMORY)) {
      throw new UsageException(
          "this node would hold no layers: pass --layers MODEL:FROM-TO, or --memory SIZE for"
              + " layers that servers ask for, or both");
    }
    // Numbers first: they are checked without a file.
    NodeMemory memory = memory(given);
    int threads = given.integer(EngineOptions.THREADS, 1, 1024, EngineSettings.usual().threads());
    int origins = given.integer(MAX_ORIGINS, 1, 1024, NodeSettings.DEFAULT_MAX_SESSIONS);
    String name = given.get(NAME);
    try {
      return new NodeSettings(
          NetworkOptions.settings(
              shell, given, NAME, name == null ? HostName.of(shell) : name, USUAL),
          layers(shell, given),
          memory,
          threads,
          EngineOptions.kernels(shell, given),
          origins,
          modelPaths(shell, given),
          CacheDirectory.of(shell, given));
    } catch (ClusterException e) {
      throw new UsageException(e.getMessage());
    }
  }

  /** Layers that are configured have a limit, too: the system ends a process that takes too much. */
  private static NodeMemory memory(Arguments given) {
    String size = given.get(MEMORY);
    return size == null
        ? NodeMemory.forConfiguredLayers(MachineMemory.read().total() / 2)
        : NodeMemory.forRequests(MemorySize.parse(given.shown(MEMORY), size));
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
