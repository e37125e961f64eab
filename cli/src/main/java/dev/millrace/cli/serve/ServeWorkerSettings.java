package dev.millrace.cli.serve;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.model.PipeModel;
import dev.millrace.cli.options.InferenceOptions;
import dev.millrace.cli.options.PipeOptions;
import dev.millrace.cli.options.SlotOptions;
import dev.millrace.cli.terminal.NumberText;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.server.Worker;
import dev.millrace.server.exec.ExecEnvironment;
import dev.millrace.server.exec.ExecLimits;
import dev.millrace.server.exec.ExecWorker;
import dev.millrace.server.exec.RunningPrograms;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.model.NamedModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The programs and models that a server processes tasks with.
 *
 * @param commands programs by their task type
 * @param environment the variables of programs
 * @param inference the models and how they run; null if there are none
 * @param pipe the model whose layers are at nodes; null if there is none
 * @param slots sequences of a model at once, and programs at once
 */
record ServeWorkerSettings(
    Map<String, String> commands,
    ExecEnvironment environment,
    @Nullable InferenceSettings inference,
    @Nullable PipeModel pipe,
    int slots) {

  /** The task types of models. */
  static final List<String> MODEL_TYPES = List.of("generate", "embed");

  static ServeWorkerSettings of(Shell shell, Arguments given) {
    Map<String, String> commands = commands(given);
    ExecEnvironment environment = environment(shell, given);
    PipeModel pipe = PipeOptions.model(shell, given);
    // MILLRACE_MODEL is a default: it must not collide with a program for prompts.
    boolean byDefault = commands.isEmpty() && pipe == null;
    List<NamedModel> models =
        byDefault
            ? InferenceOptions.models(shell, given)
            : InferenceOptions.models(shell, given.all(InferenceOptions.MODEL), pipe);
    require(given, commands, models);
    if (models.isEmpty()) {
      int slots = SlotOptions.programs(shell, given);
      return new ServeWorkerSettings(commands, environment, null, pipe, slots);
    }
    InferenceSettings inference = InferenceOptions.settings(shell, given, models);
    int slots = inference.engine().slots();
    return new ServeWorkerSettings(commands, environment, inference, pipe, slots);
  }

  private static void require(
      Arguments given, Map<String, String> commands, List<NamedModel> models) {
    if (models.isEmpty() && commands.isEmpty() && !given.has(HttpOptions.PORT)) {
      throw new UsageException(
          "nothing to work with: pass --model MODEL, for example --model house (the bundled"
              + " model), or --exec TYPE=COMMAND, for example --exec generate='tr a-z A-Z'; or"
              + " --port N to leave the work to workers that come over HTTP");
    }
    for (Option option : InferenceOptions.TUNING) {
      if (models.isEmpty() && given.has(option)) {
        throw new UsageException(given.shown(option) + " goes with --model");
      }
    }
    for (String type : MODEL_TYPES) {
      if (!models.isEmpty() && commands.containsKey(type)) {
        throw new UsageException(
            "--exec "
                + type
                + "=… and --model both work on tasks of type \""
                + type
                + "\"; name another type, or leave one of them out");
      }
    }
  }

  private static Map<String, String> commands(Arguments given) {
    String shown = given.shown(ServeCommand.EXEC);
    Map<String, String> commands = new LinkedHashMap<>();
    for (String each : given.all(ServeCommand.EXEC)) {
      int equals = each.indexOf('=');
      if (equals < 1 || each.substring(equals + 1).isBlank()) {
        throw new UsageException(shown + " must be TYPE=COMMAND, not \"" + each + "\"");
      }
      try {
        String type = StageSpec.requireType(each.substring(0, equals));
        if (commands.put(type, each.substring(equals + 1)) != null) {
          throw new UsageException(shown + " names type \"" + type + "\" twice");
        }
      } catch (IllegalArgumentException e) {
        throw new UsageException(shown + ": " + e.getMessage());
      }
    }
    return commands;
  }

  private static ExecEnvironment environment(Shell shell, Arguments given) {
    if (given.has(ServeCommand.EXEC_ENV) && !given.has(ServeCommand.EXEC)) {
      throw new UsageException(given.shown(ServeCommand.EXEC_ENV) + " goes with --exec");
    }
    try {
      return ExecEnvironment.of(shell.environment(), given.all(ServeCommand.EXEC_ENV));
    } catch (IllegalArgumentException e) {
      throw new UsageException(given.shown(ServeCommand.EXEC_ENV) + ": " + e.getMessage());
    }
  }

  /**
   * The workers that run programs.
   *
   * @param running where programs are recorded while they run
   */
  List<Worker> programs(RunningPrograms running) {
    List<Worker> workers = new ArrayList<>();
    commands.forEach(
        (type, command) ->
            workers.add(new ExecWorker(type, command, ExecLimits.DEFAULT, running, environment)));
    return workers;
  }

  /** The task types that this server claims. */
  Set<String> types() {
    Set<String> types = new LinkedHashSet<>();
    if (inference != null) {
      types.addAll(inference.canEmbed() ? MODEL_TYPES : MODEL_TYPES.subList(0, 1));
    }
    types.addAll(commands.keySet());
    return types;
  }

  /** The models that tasks may name. */
  Set<String> modelNames() {
    Set<String> names = new LinkedHashSet<>();
    if (inference != null) {
      inference.models().forEach(model -> names.add(model.name()));
    }
    return names;
  }

  /** What the server announces of itself. */
  JsonObject info() {
    return ServerInfo.of(inference, types(), slots);
  }

  /** The same for the log. */
  String text() {
    String models =
        inference == null
            ? ""
            : "models "
                + String.join(", ", inference.models().stream().map(this::shown).toList())
                + ", memory "
                + NumberText.bytes(inference.shelf().memory())
                + ", ";
    String own = types().isEmpty() ? "no" : String.join(", ", types());
    return models + "types " + own + ", slots " + slots;
  }

  private String shown(NamedModel model) {
    return pipe != null && pipe.name().equals(model.name())
        ? model.name() + " (layers at nodes)"
        : model.name();
  }
}
