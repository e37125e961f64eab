package dev.millrace.cli.submit;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.place.Place;
import dev.millrace.cli.place.PlaceOpener;
import dev.millrace.core.Work.SubmitResult;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.util.List;

/** {@code millrace work}: submits a job and prints only its id. */
public final class WorkCommand implements Command {
  // nrvna's options without a meaning here: refused with what to do instead, and not in the help.
  static final Option IMAGE = Option.value("image", "PATH", "").letter('i').many();
  static final Option AUDIO = Option.value("audio", "PATH", "").many();
  static final Option EMBED = Option.flag("embed", "create an embedding");
  static final Option TTS = Option.flag("tts", "");
  static final Option STT = Option.flag("stt", "");
  static final Option MODE = Option.value("mode", "MODE", "text or embed").choices("text", "embed");
  static final Option TYPE =
      Option.value("type", "TYPE", "the task type: for workers other than the model");
  static final Option PARENT = Option.value("parent", "ID", "the parent of this job");
  static final Option TAG = Option.value("tag", "TAG", "add a tag (repeatable)").many();
  static final Option SCHEMA =
      Option.value("json-schema", "PATH", "the result must be JSON of this schema");
  static final Option GRAMMAR =
      Option.value("grammar", "PATH", "the result must follow this GBNF grammar");
  static final Option NAME = Option.value("name", "NAME", "a name to display");
  static final Option PRIORITY =
      Option.value("priority", "P", "VERY_HIGH, HIGH, MEDIUM (default), LOW or VERY_LOW")
          .choices("VERY_HIGH", "HIGH", "MEDIUM", "LOW", "VERY_LOW");
  static final Option HOLD = Option.flag("hold", "submit paused; \"millrace resume\" starts it");
  static final Option ATTEMPTS = Option.value("attempts", "N", "try up to N times (default 1)");
  static final Option QUEUE_TIMEOUT =
      Option.value("queue-timeout", "D", "fail if not started within D: 30s, 10m, 2h, 7d");
  static final Option RUN_TIMEOUT =
      Option.value("run-timeout", "D", "fail an attempt that takes longer than D");
  static final Option PARAM =
      Option.value("param", "K=V", "a parameter for the worker: V is JSON, else text (repeatable)")
          .many();
  static final Option JOB =
      Option.value("job", "FILE", "submit a job of stages, described as JSON; \"-\": from stdin");

  @Override
  public Syntax syntax() {
    return new Syntax(
        "work",
        List.of(
            "DIR|URL [PROMPT...] [options]",
            "DIR|URL - [options]",
            "DIR|URL --job FILE.json [options]"),
        "Submits a prompt (words, or stdin) or a job of stages and prints its id.",
        List.of(
            EMBED,
            MODE,
            TYPE,
            GenerationOptions.MODEL,
            GenerationOptions.SYSTEM,
            GenerationOptions.RAW,
            GenerationOptions.TEMPERATURE,
            GenerationOptions.SEED,
            GenerationOptions.MAX_TOKENS,
            GenerationOptions.TOP_K,
            GenerationOptions.TOP_P,
            GenerationOptions.MIN_P,
            GenerationOptions.STOP,
            PARAM,
            SCHEMA,
            GRAMMAR,
            NAME,
            TAG,
            PARENT,
            PRIORITY,
            HOLD,
            ATTEMPTS,
            QUEUE_TIMEOUT,
            RUN_TIMEOUT,
            JOB,
            PlaceOpener.GROUP,
            IMAGE,
            AUDIO,
            TTS,
            STT,
            Option.VERSION),
        """
        DIR is a workspace, created if it does not exist; URL is that of a server, such as
        http://127.0.0.1:8080, with the key in MILLRACE_API_KEY if it needs one. When the id is
        printed, the job is on disk.
        Examples:
          millrace work ./ws "What is a mill race?"
          millrace work ./ws "A story, please." --temp 0.7 --seed 1 -n 200
          { echo "Summarize:"; cat notes.md; } | millrace work ./ws -
          millrace work ./ws --job pipeline.json --tag nightly
        Exit status: 0 submitted, 1 any error.\
        """);
  }

  @Override
  public int usageStatus() {
    return ExitCode.FAILED;
  }

  @Override
  public int run(Shell shell, Arguments arguments) throws IOException {
    if (arguments.words().isEmpty()) {
      throw new UsageException("no workspace: name a directory, for example ./ws");
    }
    WorkOptionRules.check(arguments);
    JobSpec spec = spec(shell, arguments);
    SubmitResult result;
    String named = arguments.words().getFirst();
    if (spec.parent() != null) {
      spec = spec.toBuilder().parent(KnownParent.find(shell, named, spec.parent())).build();
    }
    try (Place place = PlaceOpener.openToSubmit(shell, named, arguments)) {
      result = place.work().submit(spec);
    }
    if (!result.ok()) {
      throw new CommandException(result.message());
    }
    String id = result.id().value();
    shell
        .out()
        .println(arguments.has(Option.JSON) ? Json.write(JsonObject.create().put("id", id)) : id);
    return ExitCode.OK;
  }

  private static JobSpec spec(Shell shell, Arguments arguments) throws IOException {
    try {
      return arguments.has(JOB)
          ? new JobFileReader(shell).read(arguments)
          : PromptJobBuilder.of(shell, arguments);
    } catch (IllegalArgumentException | JsonException e) {
      throw new CommandException(String.valueOf(e.getMessage()));
    }
  }
}
