package dev.millrace.cli.options;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.MemorySize;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.EnvironmentVariables;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.model.EngineOpener;
import dev.millrace.cli.model.ModelChoice;
import dev.millrace.cli.model.PipeModel;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.chat.SpecialTokenRule;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.model.NamedModel;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options of commands that process jobs with models. */
public final class InferenceOptions {
  public static final Option MODEL =
      Option.value(
              "model",
              "MODEL",
              "process prompts with this model: a GGUF file, a name\n"
                  + "that \"models\" lists or a part of one, such as \"house\",\n"
                  + "the bundled model; or ALIAS=MODEL; the first is for\n"
                  + "jobs that name none (repeatable)")
          .letter('m')
          .many();
  public static final Option CONTEXT =
      Option.wholeNumber(
          "ctx",
          "N",
          "maximum length of a sequence in tokens (default 8192, or\nthe model's own maximum)");
  public static final Option MEMORY =
      Option.value(
          "memory",
          "SIZE",
          "memory for weights and caches of all models, such as\n"
              + "4G or 512M (default: half of what the machine has)");
  public static final Option IDLE =
      Option.value("idle", "D", "unload a model that was not used for D (default 15m)");

  public static final Option SPECIAL_IN_TEXT =
      Option.flag(
          "special-in-text",
          "find special tokens such as <|im_end|> in messages, too:\n"
              + "their writers can then forge turns (docs/serving.md)");

  /** Options that need a model. */
  public static final List<Option> TUNING =
      List.of(
          EngineOptions.THREADS,
          CONTEXT,
          EngineOptions.CACHE,
          EngineOptions.KERNELS,
          MEMORY,
          IDLE,
          SPECIAL_IN_TEXT);

  /** The default of nrvna. */
  public static final int USUAL_CONTEXT = 8_192;

  private static final int MAX_CONTEXT = 1 << 24;

  private InferenceOptions() {}

  /** The models by option, else by variable; may be empty. */
  public static List<NamedModel> models(Shell shell, Arguments given) {
    List<String> named = new ArrayList<>(given.all(MODEL));
    String variable = shell.variable(EngineOptions.VARIABLE);
    if (named.isEmpty() && variable != null) {
      named.add(variable);
    }
    return models(shell, named, null);
  }

  /** The models of these names, and the one whose layers are at nodes. */
  public static List<NamedModel> models(Shell shell, List<String> named, @Nullable PipeModel pipe) {
    List<NamedModel> models = new ArrayList<>();
    Map<String, NamedModel> known = new HashMap<>();
    for (String name : named) {
      ModelChoice choice = ModelChoice.of(shell, name);
      NamedModel model = new NamedModel(choice.name(), choice.file().toAbsolutePath().normalize());
      require(model, known.put(model.name(), model));
      models.add(model);
    }
    if (pipe != null) {
      require(pipe.file(), known.put(pipe.name(), pipe.file()));
      models.add(pipe.file());
    }
    return models;
  }

  private static void require(NamedModel model, @Nullable NamedModel other) {
    if (other != null) {
      throw new UsageException(
          "two models are called \""
              + model.name()
              + "\": "
              + other.file()
              + " and "
              + model.file()
              + "; give one another name with ALIAS=PATH");
    }
    if (!Files.isReadable(model.file())) {
      throw new CommandException(
          "no permission for " + model.file() + "; check its owner and its mode");
    }
  }

  /** Checks the files now: a server that waits for its workspace must not fail later. */
  public static void requireReadable(List<NamedModel> models) {
    for (NamedModel model : models) {
      try (Gguf gguf = Gguf.open(model.file())) {
        ModelConfig.of(gguf);
      } catch (EngineException e) {
        throw EngineOpener.error(model.file(), e);
      }
    }
  }

  /** The settings with which these models run. */
  public static InferenceSettings settings(Shell shell, Arguments given, List<NamedModel> models) {
    InferenceSettings usual = InferenceSettings.of(models);
    Duration idle = given.duration(IDLE);
    String memory = given.get(MEMORY);
    if (idle != null && idle.isZero()) {
      throw new UsageException(given.shown(IDLE) + " must be longer than 0s");
    }
    InferenceSettings settings =
        usual
            .withEngine(engine(shell, given))
            .withIdle(idle == null ? usual.shelf().idle() : idle)
            .withSampling(GenerationDefaults.of(shell))
            .withChatTemplate(GenerationDefaults.chatTemplate(shell))
            .withSpecialTokens(specialTokens(given));
    return memory == null ? settings : withMemory(settings, given.shown(MEMORY), memory);
  }

  public static SpecialTokenRule specialTokens(Arguments given) {
    return given.has(SPECIAL_IN_TEXT) ? SpecialTokenRule.TEXT : SpecialTokenRule.TEMPLATE;
  }

  /** Rejects a memory that is too small now, not after a workspace is taken over. */
  private static InferenceSettings withMemory(
      InferenceSettings settings, String shown, String memory) {
    InferenceSettings limited = settings.withMemory(MemorySize.parse(shown, memory));
    requireReadable(settings.models());
    try {
      Inference.requireRoom(limited);
    } catch (EngineException e) {
      throw new UsageException(
          shown + " " + memory + ": " + SanitizedText.line(e.getMessage(), 1000));
    }
    return limited;
  }

  private static EngineSettings engine(Shell shell, Arguments given) {
    Integer variable = new EnvironmentVariables(shell).integer(2, MAX_CONTEXT, "MAX_CTX");
    int otherwise = variable == null ? USUAL_CONTEXT : variable;
    return EngineOptions.settings(shell, given)
        .withSlots(SlotOptions.sequences(shell, given))
        .withContext(given.integer(CONTEXT, 2, MAX_CONTEXT, otherwise));
  }
}
