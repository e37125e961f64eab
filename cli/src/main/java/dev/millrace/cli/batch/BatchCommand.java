package dev.millrace.cli.batch;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SignalHandlers;
import dev.millrace.cli.model.ModelChoice;
import dev.millrace.cli.model.ModelHash;
import dev.millrace.cli.options.EngineOptions;
import dev.millrace.cli.options.InferenceOptions;
import dev.millrace.cli.options.SlotOptions;
import dev.millrace.cli.place.OwnablePlace;
import dev.millrace.cli.place.PlaceLocator;
import dev.millrace.cli.place.PlaceOpener;
import dev.millrace.cli.place.PlaceOwner;
import dev.millrace.cli.serve.LocalWorkers;
import dev.millrace.core.json.JsonObject;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.model.NamedModel;
import dev.millrace.server.infer.parameters.ModelNameMatcher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** {@code millrace batch}: answers a file of OpenAI batch requests. */
public final class BatchCommand implements Command {
  private static final String SUFFIX = ".jsonl";

  static final Option MODEL =
      Option.value(
              "model",
              "MODEL",
              "answer all requests with this model, whatever model\n"
                  + "they name: a GGUF file, a name that \"models\" lists or\n"
                  + "a part of one; or one that the server of the\n"
                  + "workspace has (default: MILLRACE_MODEL)")
          .letter('m');
  static final Option OUT =
      Option.value("out", "FILE", "where the answers go (default: FILE.out.jsonl); - is\nstdout")
          .letter('o');
  static final Option WORKSPACE =
      Option.value(
              PlaceLocator.OPTION.name(),
              "DIR",
              "where the job is kept: a directory or a database's\n"
                  + "postgresql:// address (default: MILLRACE_WORKSPACE,\n"
                  + "else FILE.jsonl.millrace)")
          .letter('d');
  static final Option FRESH =
      Option.flag("fresh", "start again instead of resuming an earlier run");
  static final Option RETRY_FAILED =
      Option.flag("retry-failed", "also run the requests again that failed before");

  private final Function<InferenceSettings, LocalWorkers> opening;

  public BatchCommand() {
    this(LocalWorkers::of);
  }

  /** For tests, with other workers. */
  BatchCommand(Function<InferenceSettings, LocalWorkers> opening) {
    this.opening = opening;
  }

  @Override
  public Syntax syntax() {
    return new Syntax(
        "batch",
        List.of("FILE.jsonl [options]"),
        "Answers a file of requests in OpenAI's batch format.",
        List.of(
            MODEL,
            OUT,
            WORKSPACE,
            RETRY_FAILED,
            FRESH,
            SlotOptions.SLOTS,
            EngineOptions.THREADS,
            InferenceOptions.CONTEXT,
            EngineOptions.CACHE,
            EngineOptions.KERNELS,
            InferenceOptions.MEMORY,
            InferenceOptions.SPECIAL_IN_TEXT),
        """
        Lines in: {"custom_id", "method": "POST", "url": "/v1/chat/completions" (or completions,
        embeddings), "body"}; lines out, in their order: {"id", "custom_id", "response", "error"}.
        All lines are checked before anything starts. The batch is durable: after ^C, a crash or a
        kill, run the same command again and it resumes; completed requests are not repeated, not
        even if other lines were added or changed. The output grows in FILE.out.jsonl.partial until
        it is complete. If a server owns the workspace, or servers share the database, they do the
        work; else this process does.
        Examples:
          millrace batch requests.jsonl --model house
          millrace batch requests.jsonl --model house --retry-failed
        --json prints a summary on stdout, so it does not go with --out -.
        Exit status: 0 all done, 1 some failed or an error, 2 wrong options, 130 stopped by ^C.\
        """);
  }

  @Override
  public int run(Shell shell, Arguments given) throws IOException, InterruptedException {
    if (given.words().isEmpty()) {
      throw new UsageException("no FILE of requests");
    }
    given.requireAtMost(1);
    String name = given.words().getFirst();
    if (name.equals("-")) {
      throw new UsageException("the requests must be in a file: its content identifies the batch");
    }
    given.exclude(FRESH, RETRY_FAILED);
    Path out = out(shell, given, name);
    if (out != null) {
      requireWritable(out, shell.path(name));
    }
    if (out == null && given.has(Option.JSON)) {
      throw new UsageException("--json prints a summary, which would mix with --out -");
    }
    Thread waiter = Thread.currentThread();
    AtomicBoolean over = new AtomicBoolean();
    SignalHandlers.install(number -> signal(number, waiter, over));
    try (BatchRun run = new BatchRun(shell, settings(shell, given, name, out))) {
      return run.run();
    } finally {
      over.set(true);
    }
  }

  /** The first signal ends the wait; the second exits at once. */
  private static void signal(int number, Thread waiter, AtomicBoolean over) {
    if (number > 1 || over.get()) {
      Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
    }
    waiter.interrupt();
  }

  private static @Nullable Path out(Shell shell, Arguments given, String name) {
    String out = given.get(OUT);
    if (out == null) {
      String stem =
          name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
      return shell.path(stem + ".out" + SUFFIX);
    }
    return out.equals("-") ? null : shell.path(out);
  }

  /** Checks the output file now, not after hours of work. */
  private static void requireWritable(Path out, Path requests) throws IOException {
    for (Path file : List.of(out, GrowingOutput.partial(out))) {
      if (Files.exists(file) && Files.exists(requests) && Files.isSameFile(file, requests)) {
        throw new CommandException(
            "the output " + out + " would overwrite the requests; name another file with --out");
      }
    }
    Path parent = out.toAbsolutePath().getParent();
    String problem =
        Files.isDirectory(out) || parent == null
            ? "it is a directory"
            : !Files.isDirectory(parent)
                ? "there is no directory " + parent
                : !Files.isWritable(parent) ? "no permission to write in " + parent : null;
    if (problem != null) {
      throw new CommandException(
          "the output " + out + " cannot be written: " + problem + "; name another with --out");
    }
  }

  private BatchRun.Settings settings(Shell shell, Arguments given, String name, @Nullable Path out)
      throws IOException {
    String named = place(shell, given, name);
    // A workspace is created only after the requests are checked.
    OwnablePlace existing =
        PlaceOpener.exists(shell, named) ? PlaceOpener.openToServe(shell, named) : null;
    PlaceOwner owner = existing == null ? null : existing.owner();
    Set<String> served = owner == null || !owner.held() ? null : served(owner.info());
    String asked = given.has(MODEL) ? given.get(MODEL) : shell.variable(EngineOptions.VARIABLE);
    String running = asked == null || served == null ? null : servedName(shell, asked, served);
    NamedModel model = asked == null || running != null ? null : model(shell, asked);
    String override = model == null ? running : model.name();
    if (override != null && served != null && !served.contains(override)) {
      throw new CommandException(
          "the server of "
              + existing.location()
              + " has no model \""
              + override
              + "\", but "
              + String.join(", ", served));
    }
    InferenceSettings inference =
        model == null ? null : InferenceOptions.settings(shell, given, List.of(model));
    BatchFile file =
        BatchFile.read(shell.path(name), name, new BatchFile.Models(override != null, served));
    requireType(existing, owner, file.endpoint().type());
    return new BatchRun.Settings(
        existing == null ? PlaceOpener.openToServe(shell, named) : existing,
        new BatchJob(
            file,
            name,
            shell.path(name).toAbsolutePath().normalize(),
            override == null ? only(served) : override,
            model == null ? null : ModelHash.of(model.file())),
        given.has(FRESH)
            ? BatchRun.Mode.FRESH
            : given.has(RETRY_FAILED) ? BatchRun.Mode.RETRY_FAILED : BatchRun.Mode.RESUME,
        new BatchRun.Output(out, given.has(Option.JSON)),
        inference == null ? null : () -> opening.apply(inference));
  }

  /** The only model of a server answers, named or not. */
  private static @Nullable String only(@Nullable Set<String> served) {
    return served != null && served.size() == 1 ? served.iterator().next() : null;
  }

  /** The server's model that is meant; null if another one of this machine is, or none. */
  private static @Nullable String servedName(Shell shell, String asked, Set<String> served) {
    if (served.contains(asked) || ModelChoice.exact(shell, asked).isPresent()) {
      return served.contains(asked) ? asked : null;
    }
    List<String> matches = ModelNameMatcher.matches(served, asked);
    return matches.size() == 1 ? matches.getFirst() : null;
  }

  private static NamedModel model(Shell shell, String asked) {
    ModelChoice choice = ModelChoice.of(shell, asked);
    return new NamedModel(choice.name(), choice.file().toAbsolutePath().normalize());
  }

  private static String place(Shell shell, Arguments given, String name) {
    String named = given.get(WORKSPACE);
    String place = named == null ? shell.variable("MILLRACE_WORKSPACE") : named;
    return place == null ? name + ".millrace" : place;
  }

  /** The names of a server's models; null if the announcement does not say. */
  private static @Nullable Set<String> served(JsonObject info) {
    if (!(info.get("models") instanceof List<?> models)) {
      return null;
    }
    Set<String> names = new LinkedHashSet<>();
    for (Object model : models) {
      if (model instanceof Map<?, ?> fields && fields.get("name") instanceof String name) {
        names.add(name);
      }
    }
    return names;
  }

  private static void requireType(
      @Nullable OwnablePlace place, @Nullable PlaceOwner owner, String type) {
    if (place != null
        && owner != null
        && owner.held()
        && owner.info().get("types") instanceof List<?> types
        && !types.contains(type)) {
      throw new CommandException(
          "the server of "
              + place.location()
              + " processes "
              + String.join(", ", types.stream().map(String::valueOf).toList())
              + ", not \""
              + type
              + "\"");
    }
  }
}
