package dev.millrace.cli.submit;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.options.PromptArgument;
import dev.millrace.cli.place.PlaceLocator;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.TaskPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds the job that a prompt and the options of {@code work} describe. */
final class PromptJobBuilder {
  /** The keys of constraints in a stage's data. */
  private static final String SCHEMA = "json_schema";

  /** The keys that a prompt sets. */
  private static final Set<String> SUBJECT = Set.of("prompt", "messages", "input");

  private static final String GRAMMAR = "grammar";

  private PromptJobBuilder() {}

  static JobSpec of(Shell shell, Arguments given) throws IOException {
    // Check everything else before reading stdin, which may block.
    JsonObject data = data(shell, given);
    TaskPolicy policy = policy(given);
    Header header = Header.of(given);
    given.read(WorkCommand.TYPE, StageSpec::requireType);
    String type = WorkOptionRules.type(given);
    String prompt = PromptArgument.of(shell, given);
    StageSpec stage =
        StageSpec.builder(type)
            .policy(policy)
            .tasks(List.of(TaskSpec.of(prompt)))
            .data(data)
            .build();
    return header.on(JobSpec.of(List.of(stage)));
  }

  private static TaskPolicy policy(Arguments given) {
    TaskPolicy usual = TaskPolicy.DEFAULT;
    return new TaskPolicy(
        given.integer(WorkCommand.ATTEMPTS, 1, 1_000, usual.maxAttempts()),
        usual.backoff(),
        given.positiveDuration(WorkCommand.QUEUE_TIMEOUT),
        given.positiveDuration(WorkCommand.RUN_TIMEOUT),
        usual.recoveryCeiling());
  }

  private static JsonObject data(Shell shell, Arguments given) throws IOException {
    JsonObject data = JsonObject.create();
    constrain(shell, data, given);
    GenerationOptions.put(data, given);
    for (String parameter : given.all(WorkCommand.PARAM)) {
      int equals = parameter.indexOf('=');
      if (equals < 1) {
        throw new UsageException("--param must be NAME=VALUE, not \"" + parameter + "\"");
      }
      String name = parameter.substring(0, equals);
      if (name.equals(SCHEMA) || name.equals(GRAMMAR)) {
        throw new UsageException("--param " + name + ": use --json-schema or --grammar");
      }
      if (SUBJECT.contains(name)) {
        throw new UsageException(
            "--param " + name + ": the prompt is given as words already; leave one out");
      }
      if (data.values().containsKey(name)) {
        throw new UsageException("--param " + name + " is given twice");
      }
      data.put(name, value(parameter.substring(equals + 1)));
    }
    return data;
  }

  private static void constrain(Shell shell, JsonObject data, Arguments given) throws IOException {
    Option option = given.has(WorkCommand.SCHEMA) ? WorkCommand.SCHEMA : WorkCommand.GRAMMAR;
    String named = given.get(option);
    if (named == null) {
      return;
    }
    Path file = shell.path(named);
    try {
      if (option == WorkCommand.GRAMMAR) {
        data.put(GRAMMAR, ConstraintFile.grammar(file));
        return;
      }
      String schema = ConstraintFile.schema(file);
      data.put(SCHEMA, schema);
      if (WorkOptionRules.type(given).equals("generate")) {
        data.put(GRAMMAR, ConstraintFile.gbnf(file, schema));
      }
    } catch (CommandException e) {
      throw new CommandException(e.code(), option.shown() + ": " + e.getMessage());
    }
  }

  /** The value if the text is JSON, else the text. */
  private static @Nullable Object value(String text) {
    try {
      return Json.parse(text);
    } catch (JsonException e) {
      return text;
    }
  }

  /** Options for the whole job; null or empty if not given. */
  record Header(
      @Nullable String name,
      @Nullable Priority priority,
      boolean held,
      @Nullable JobId parent,
      List<String> tags) {

    static Header of(Arguments given) {
      return new Header(
          given.read(WorkCommand.NAME, JobSpec::requireName),
          given.read(WorkCommand.PRIORITY, JobDocument::priority),
          given.has(WorkCommand.HOLD),
          given.read(WorkCommand.PARENT, PlaceLocator::id),
          given.readAll(WorkCommand.TAG, JobSpec::requireTag));
    }

    /** {@code spec} with these options set or added. */
    JobSpec on(JobSpec spec) {
      Set<String> all = new LinkedHashSet<>(spec.tags());
      all.addAll(tags);
      return spec.toBuilder()
          .name(name == null ? spec.name() : name)
          .priority(priority == null ? spec.priority() : priority)
          .held(held || spec.held())
          .parent(parent == null ? spec.parent() : parent)
          .tags(List.copyOf(all))
          .build();
    }
  }
}
