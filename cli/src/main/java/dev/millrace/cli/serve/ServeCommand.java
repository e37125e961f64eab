package dev.millrace.cli.serve;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.config.ConfigurationUse;
import dev.millrace.cli.options.EngineOptions;
import dev.millrace.cli.options.InferenceOptions;
import dev.millrace.cli.options.NetworkOptions;
import dev.millrace.cli.options.NodeOptions;
import dev.millrace.cli.options.PipeOptions;
import dev.millrace.cli.options.SlotOptions;
import dev.millrace.cli.place.OwnablePlace;
import dev.millrace.cli.place.PlaceLocator;
import dev.millrace.cli.place.PlaceOpener;
import java.util.ArrayList;
import java.util.List;

/** {@code millrace serve}: owns a workspace and processes its jobs. */
public final class ServeCommand implements Command {
  private static final Option WORKSPACE =
      Option.value(
              PlaceLocator.OPTION.name(),
              "DIR",
              "the workspace, created if it does not exist; default\n"
                  + "MILLRACE_WORKSPACE, else the current directory")
          .letter('d');
  static final Option EXEC =
      Option.value(
              "exec",
              "TYPE=COMMAND",
              "process tasks of TYPE with a shell command: input on\n"
                  + "stdin, result on stdout (repeatable)")
          .many();
  static final Option EXEC_ENV =
      Option.value(
              "exec-env",
              "NAME[=VALUE]",
              "pass this environment variable to the programs, or set\n"
                  + "it (repeatable); of the others they get PATH, HOME, USER,\n"
                  + "LANG, LC_*, TZ and TMPDIR only")
          .many();
  static final Option DRAIN =
      Option.flag(
          "drain",
          "process all jobs, then exit: 0, or 1 if a job failed\n"
              + "meanwhile or a signal interrupted it");
  static final Option NO_WARMUP =
      Option.flag(
          "no-warmup",
          "be ready when the model is loaded: the first jobs are\n"
              + "slower then, until the JVM has compiled the model");
  static final Option WAIT =
      Option.flag(
          "wait", "if another server owns the workspace, wait to take it\n" + "over (the default)");
  static final Option NO_WAIT =
      Option.flag("no-wait", "if another server owns the workspace, exit with 1");
  static final Option RETAIN =
      Option.value(
          "retain",
          "TIME",
          "delete jobs that ended longer ago than this, such as 30d,\n"
              + "and log it (default: keep all; stored responses have\n"
              + "--response-days)");
  static final Option STOP_TIMEOUT =
      Option.wholeNumber(
          "stop-timeout",
          "S",
          "end within so many seconds after the first signal, with\n"
              + "whatever is left (default 30)");
  static final Option LOG_FORMAT =
      Option.value("log-format", "FORMAT", "text, or json: an object on each line (default text)")
          .choices("text", "json");
  static final Option STATUS =
      Option.flag(
          "status", "print whether a server runs: exit 0 ready, 2 starting,\n1 not running");
  static final Option STOP =
      Option.flag("stop", "stop the server when its running tasks are finished");
  private static final Option JSON =
      Option.flag(Option.JSON.name(), "with --status or --stop: print JSON");
  static final Option TIMEOUT =
      Option.wholeNumber(
          "timeout", "S", "with --stop: seconds until running tasks are ended\n" + "(default 20)");

  private static final List<Option> RUNNING =
      List.of(PlaceOpener.GROUP, RETAIN, STOP_TIMEOUT, LOG_FORMAT);

  @Override
  public Syntax syntax() {
    return new Syntax(
        "serve",
        List.of(
            "--workspace DIR --model MODEL... [options]",
            "--workspace DIR --exec TYPE=COMMAND... [options]",
            "--workspace DIR --end-model MODEL --join HOST:PORT --key-file F [options]",
            "--workspace DIR --port N [options]",
            "--store URL --model MODEL... [options]",
            "--workspace DIR --status [--json]",
            "--workspace DIR --stop [--timeout S]"),
        "Processes the jobs of a workspace.",
        options(),
        """
        A model processes tasks of the types generate and embed, a program those of its own type.
        A server may have both, or leave the tasks to workers that connect over HTTP. The API is at
        http://127.0.0.1:8080 by default, its description at /docs/api (docs/http.md). Clients of
        OpenAI's API use http://127.0.0.1:8080/v1.
        MILLRACE_MODEL is the model if no option names one. Environment variables set the defaults
        of jobs (MILLRACE_TEMP and others, docs/serving.md).
        The first SIGINT or SIGTERM lets running programs finish and releases the tasks of models,
        which later resume at their last token. The second ends programs, which run again later,
        and exits with 130; so does --stop-timeout, with 0, or 1 if something did not end in time.
        SIGHUP opens the access log again. The log goes to stdout, errors to stderr; MILLRACE_LOG_LEVEL is
        error, warn, info (default), debug or trace.
        Examples:
          millrace serve --workspace ./ws --model house
          millrace serve --workspace ./ws --model big=llama-8b.gguf --model house --memory 8G
          millrace serve --workspace ./ws --exec generate='tr a-z A-Z'\
        """);
  }

  private static List<Option> options() {
    List<Option> options = new ArrayList<>();
    options.addAll(
        List.of(
            WORKSPACE,
            PlaceLocator.STORE,
            InferenceOptions.MODEL,
            EXEC,
            EXEC_ENV,
            SlotOptions.SLOTS,
            EngineOptions.THREADS,
            InferenceOptions.CONTEXT,
            EngineOptions.CACHE,
            EngineOptions.KERNELS,
            InferenceOptions.MEMORY,
            InferenceOptions.IDLE,
            InferenceOptions.SPECIAL_IN_TEXT));
    options.addAll(HttpOptions.ALL);
    options.addAll(PipeOptions.all());
    options.add(NO_WARMUP);
    options.addAll(RUNNING);
    options.addAll(List.of(NetworkOptions.CONFIG, DRAIN, WAIT, NO_WAIT, STATUS, STOP, TIMEOUT));
    options.add(JSON);
    return options;
  }

  /** Options that a configuration file may set: not those for a single run or query. */
  public static List<Option> configurable() {
    List<Option> options = options();
    options.removeAll(
        List.of(NetworkOptions.CONFIG, DRAIN, WAIT, NO_WAIT, STATUS, STOP, TIMEOUT, JSON));
    return options;
  }

  @Override
  public int usageStatus() {
    return ExitCode.FAILED;
  }

  @Override
  public boolean logsToOutput() {
    return true;
  }

  @Override
  public int run(Shell shell, Arguments words) throws InterruptedException {
    words.requireAtMost(0);
    check(words);
    Arguments given =
        NetworkOptions.configured(shell, words, configurable(), ConfigurationUse.SERVER);
    if (given.has(STATUS) || given.has(STOP)) {
      String named = PlaceLocator.toServe(shell, given);
      PlaceLocator.requireStoppable(given.has(STOP), named);
      OwnablePlace place = PlaceOpener.openToManage(shell, named);
      return given.has(STATUS)
          ? new OwnerStatusPrinter(shell, place, OwnerStatusPrinter.ALL_FIELDS)
              .print(given.has(Option.JSON))
          : new OwnerStopper(shell, place, given.has(Option.JSON))
              .run(given.integer(TIMEOUT, 1, 3_600, 20));
    }
    return ServeRun.of(
            shell,
            given,
            NodeOptions.besideServer(shell, words),
            SuggestedCommand.of("serve")
                .on(PlaceLocator.toServe(shell, given))
                .with("--stop")
                .to("stops it, and without --no-wait this server waits for it"))
        .run();
  }

  private static void check(Arguments given) {
    given.exclude(STATUS, STOP);
    given.exclude(WORKSPACE, PlaceLocator.STORE);
    given.exclude(WAIT, NO_WAIT);
    for (Option query : new Option[] {STATUS, STOP}) {
      for (Option option :
          new Option[] {EXEC, EXEC_ENV, SlotOptions.SLOTS, NO_WARMUP, DRAIN, WAIT, NO_WAIT}) {
        given.exclude(query, option);
      }
      given.exclude(query, InferenceOptions.MODEL);
      for (Option option : RUNNING) {
        given.exclude(query, option);
      }
      for (Option option : InferenceOptions.TUNING) {
        given.exclude(query, option);
      }
      for (Option option : HttpOptions.ALL) {
        given.exclude(query, option);
      }
      for (Option option : PipeOptions.all()) {
        given.exclude(query, option);
      }
    }
    if (given.has(TIMEOUT) && !given.has(STOP)) {
      throw new UsageException("--timeout goes with --stop");
    }
    if (given.has(Option.JSON) && !given.has(STATUS) && !given.has(STOP)) {
      throw new UsageException("--json goes with --status or --stop; a server prints its log");
    }
  }
}
