package dev.millrace.cli.options;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.model.EngineOpener;
import dev.millrace.cli.model.ModelChoice;
import dev.millrace.cli.model.PipeModel;
import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NetworkSettings;
import dev.millrace.cluster.OriginSettings;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The options of a server with a model whose layers are at the nodes of a network. */
public final class PipeOptions {
  static final Option END_MODEL =
      Option.value(
          "end-model",
          "MODEL",
          "process prompts with this model, named as for --model:\n"
              + "its end and first layers run here, the other layers at\n"
              + "nodes (docs/pipes.md)");
  static final Option LOCAL_LAYERS =
      Option.wholeNumber("local-layers", "N", "number of first layers that run here (default 1)");
  static final Option AUDIT =
      Option.number(
          "audit",
          "RATE",
          "the share of sequences, 0 to 1, that other nodes compute\n"
              + "again for comparison (default 0)");
  static final Option NODE_NAME =
      Option.value("node-name", "NAME", "this server's name in the network (default: HOST-serve)");
  static final Option STEP_TIMEOUT =
      Option.wholeNumber(
          "step-timeout",
          "S",
          "seconds for a step, then the slow node is replaced\n" + "(default 60)");
  static final Option MAX_PIPES =
      Option.wholeNumber("max-pipes", "N", "pipes of the model at once (default 4)");

  /** Options that need an end model. */
  static final List<Option> WITH_END_MODEL = withEndModel();

  private static final System.Logger LOG = System.getLogger("dev.millrace.cli");
  private static final HostPort USUAL = new HostPort("127.0.0.1", 0);

  private PipeOptions() {}

  private static List<Option> withEndModel() {
    List<Option> options = new ArrayList<>();
    options.add(NetworkOptions.JOIN);
    options.addAll(NetworkOptions.PROOF);
    options.addAll(
        List.of(
            LOCAL_LAYERS,
            AUDIT,
            STEP_TIMEOUT,
            MAX_PIPES,
            NODE_NAME,
            NetworkOptions.LISTEN,
            NetworkOptions.ADVERTISE,
            NetworkOptions.ALLOW,
            CacheDirectory.OPTION));
    return List.copyOf(options);
  }

  public static List<Option> all() {
    List<Option> options = new ArrayList<>();
    options.add(END_MODEL);
    options.addAll(WITH_END_MODEL);
    return options;
  }

  /** The model whose layers are at nodes; null if none was asked for. */
  public static @Nullable PipeModel model(Shell shell, Arguments given) {
    String named = given.get(END_MODEL);
    if (named == null) {
      for (Option option : WITH_END_MODEL) {
        if (given.has(option)) {
          throw new UsageException(given.shown(option) + " goes with --end-model");
        }
      }
      return null;
    }
    ModelChoice choice = ModelChoice.of(shell, named);
    Path file = choice.file().toAbsolutePath().normalize();
    try {
      OriginSettings settings =
          OriginSettings.of(network(shell, given), file, EngineSettings.usual())
              .withLocalLayers(localLayers(given, file))
              .withAudit(audit(given))
              .withStepTimeout(Duration.ofSeconds(given.integer(STEP_TIMEOUT, 1, 86_400, 60)))
              .withMaxPipes(given.integer(MAX_PIPES, 1, 64, 4))
              .withCache(CacheDirectory.of(shell, given));
      return new PipeModel(choice.name(), settings);
    } catch (ClusterException e) {
      throw new UsageException(e.getMessage());
    }
  }

  private static NetworkSettings network(Shell shell, Arguments given) {
    if (!given.has(NetworkOptions.JOIN) && !given.has(NetworkOptions.LISTEN)) {
      throw new UsageException(
          "--end-model needs a network: pass --join HOST:PORT of a node, or, for nodes"
              + " that join this server, --listen HOST:PORT");
    }
    String name = given.get(NODE_NAME);
    return NetworkOptions.settings(
        shell, given, NODE_NAME, name == null ? HostName.of(shell) + "-serve" : name, USUAL);
  }

  private static int localLayers(Arguments given, Path file) {
    int layers;
    try (Gguf gguf = Gguf.open(file)) {
      ModelConfig config = ModelConfig.of(gguf);
      layers = config.layers();
      if (config.architecture().isEncoder()) {
        throw new CommandException(
            file + " gives embeddings and generates no text: --end-model is for models that do");
      }
    } catch (EngineException e) {
      throw EngineOpener.error(file, e);
    }
    int local = given.integer(LOCAL_LAYERS, 0, layers, 1);
    if (local == 0) {
      LOG.log(
          Level.WARNING,
          "--local-layers 0: the node with layer 0 can read the text from what it is sent; 1 or"
              + " more makes that hard");
    }
    return local;
  }

  private static double audit(Arguments given) {
    String text = given.get(AUDIT);
    try {
      double rate = text == null ? 0 : Double.parseDouble(text);
      if (rate >= 0 && rate <= 1) {
        return rate;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw new UsageException(
        given.shown(AUDIT) + " must be a share from 0 to 1, such as 0.05, not \"" + text + "\"");
  }
}
