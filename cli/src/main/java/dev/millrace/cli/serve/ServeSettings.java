package dev.millrace.cli.serve;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.EnvironmentVariables;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.model.PipeModel;
import dev.millrace.cli.options.InferenceOptions;
import dev.millrace.cli.options.PipeOptions;
import dev.millrace.cli.terminal.NumberText;
import dev.millrace.cli.terminal.TimeText;
import dev.millrace.cli.workspace.WorkspaceLocator;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.model.ModelFile;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a user asks of a server.
 *
 * @param commands programs by the type that they work on
 * @param inference the models and how they run; null if there are none
 * @param pipe the one of them whose layers are at nodes; null if there is none
 * @param slots sequences of a model at once, and programs at once
 * @param patient whether to wait for a workspace that another server owns
 * @param http how it answers over HTTP; null: it does not
 */
public record ServeSettings(
    Workspace workspace,
    Map<String, String> commands,
    @Nullable InferenceSettings inference,
    @Nullable PipeModel pipe,
    int slots,
    boolean drain,
    boolean waitForOwner,
    @Nullable ServeHttpSettings http) {

  /** What models work on. */
  static final List<String> MODEL_TYPES = List.of("generate", "embed");

  /** An action of the HTTP API. */
  private static final String PIPELINE = "pipeline";

  private static final int MOST_PROGRAMS = 1_000;

  static ServeSettings of(Shell shell, Arguments given) {
    Map<String, String> commands = commands(given);
    PipeModel pipe = PipeOptions.model(shell, given);
    // The variable is for those who say nothing: a program for prompts must not collide with it.
    boolean silent = commands.isEmpty() && pipe == null;
    List<ModelFile> models =
        silent
            ? InferenceOptions.models(shell, given)
            : InferenceOptions.models(shell, given.all(InferenceOptions.MODEL), pipe);
    require(given, commands, models);
    ServeHttpSettings http = ServeHttpSettings.of(shell, given);
    if (http != null && commands.containsKey(PIPELINE)) {
      throw new UsageException(
          "--exec pipeline=…: \"pipeline\" is how the HTTP API names a whole job; name another"
              + " type, or pass --no-http");
    }
    Path workspace = WorkspaceLocator.serverDirectory(shell, given);
    InferenceSettings inference = models.isEmpty() ? null : inference(shell, given, models);
    int slots = inference == null ? slots(shell, given, false) : inference.engine().slots();
    return new ServeSettings(
        WorkspaceLocator.openToServe(shell, workspace),
        commands,
        inference,
        pipe,
        slots,
        given.has(ServeCommand.DRAIN),
        !given.has(ServeCommand.NO_WAIT),
        http);
  }

  /** How models are to be run, by the options and the environment. */
  public static InferenceSettings inference(Shell shell, Arguments given, List<ModelFile> models) {
    return InferenceOptions.settings(shell, given, models, slots(shell, given, true));
  }

  private static void require(
      Arguments given, Map<String, String> commands, List<ModelFile> models) {
    if (models.isEmpty() && commands.isEmpty() && !given.has(HttpOptions.PORT)) {
      throw new UsageException(
          "nothing to work with: pass --model MODEL, for example --model house (the model that"
              + " ships), or --exec TYPE=COMMAND, for example --exec generate='tr a-z A-Z'; or"
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

  private static int slots(Shell shell, Arguments given, boolean model) {
    int most = model ? InferenceOptions.MOST_SLOTS : MOST_PROGRAMS;
    if (given.has(ServeCommand.SLOTS)) {
      return given.integer(ServeCommand.SLOTS, 1, most, 1);
    }
    EnvironmentVariables variables = new EnvironmentVariables(shell);
    Integer slots = variables.integer(1, most, "SLOTS");
    Integer workers = slots == null ? variables.integer(1, most, "WORKERS") : slots;
    return workers == null ? (model ? 16 : 4) : workers;
  }

  /** The types of tasks that this server claims. */
  Set<String> types() {
    Set<String> types = new LinkedHashSet<>();
    if (inference != null) {
      types.addAll(inference.canEmbed() ? MODEL_TYPES : MODEL_TYPES.subList(0, 1));
    }
    types.addAll(commands.keySet());
    return types;
  }

  /** What other processes learn of the server. */
  JsonObject info() {
    return info(inference, types(), slots);
  }

  static JsonObject info(
      @Nullable InferenceSettings inference, Collection<String> types, int slots) {
    JsonObject info = JsonObject.create().put("pid", ProcessHandle.current().pid());
    if (inference != null) {
      List<JsonObject> models = new ArrayList<>();
      for (ModelFile model : inference.models()) {
        models.add(
            JsonObject.create().put("name", model.name()).put("file", model.file().toString()));
      }
      info.put("model", inference.models().getFirst().file().toString()).put("models", models);
    }
    return info.put("types", List.copyOf(types))
        .put("workers", slots)
        .put("started_at", TimeText.micros(Instant.now()));
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

  private String shown(ModelFile model) {
    return pipe != null && pipe.name().equals(model.name())
        ? model.name() + " (layers at nodes)"
        : model.name();
  }
}
