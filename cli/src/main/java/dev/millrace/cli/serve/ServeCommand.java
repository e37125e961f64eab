package dev.millrace.cli.serve;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.options.EngineOptions;
import dev.millrace.cli.options.InferenceOptions;
import dev.millrace.cli.options.NetworkOptions;
import dev.millrace.cli.options.PipeOptions;
import dev.millrace.cli.options.SlotOptions;
import dev.millrace.cli.workspace.WorkspaceLocator;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code millrace serve}: owns a workspace and works off its jobs. */
public final class ServeCommand implements Command {
  private static final Option WORKSPACE =
      Option.value(
              WorkspaceLocator.OPTION.name(),
              "DIR",
              "the workspace, made if it is not there; else\n"
                  + "MILLRACE_WORKSPACE, else the current directory")
          .letter('d');
  static final Option EXEC =
      Option.value(
              "exec",
              "TYPE=COMMAND",
              "work on tasks of TYPE with a shell command: input on\n"
                  + "stdin, result on stdout (repeatable)")
          .many();
  static final Option DRAIN =
      Option.flag(
          "drain",
          "work off what there is, then exit: 0, or 1 if a job\n"
              + "failed meanwhile or it was interrupted");
  static final Option WAIT =
      Option.flag(
          "wait", "if another server owns the workspace, wait to take it\n" + "over (the default)");
  static final Option NO_WAIT =
      Option.flag("no-wait", "if another server owns the workspace, exit with 1");
  static final Option STATUS =
      Option.flag("status", "say whether a server runs: exit 0 ready, 2 starting,\n1 not running");
  static final Option STOP = Option.flag("stop", "tell the server to finish what runs and exit");
  static final Option TIMEOUT =
      Option.wholeNumber(
          "timeout",
          "S",
          "with --stop: seconds until it is told a second time,\n"
              + "which ends what runs (default 20)");

  @Override
  public Syntax syntax() {
    return new Syntax(
        "serve",
        List.of(
            "--workspace DIR --model MODEL... [options]",
            "--workspace DIR --exec TYPE=COMMAND... [options]",
            "--workspace DIR --end-model MODEL --join HOST:PORT --key-file F [options]",
            "--workspace DIR --port N [options]",
            "--workspace DIR --status [--json]",
            "--workspace DIR --stop [--timeout S]"),
        "Works off the jobs of a workspace.",
        options(),
        """
        A model works on tasks of the types generate and embed, a program on those of its own type;
        a server may have both, or leave the work to workers that come over HTTP. The API is at
        http://127.0.0.1:8080 unless told otherwise, its description at /docs/api (docs/http.md).
        MILLRACE_MODEL names a model where no option does. What a job does not say is as the
        environment has it (MILLRACE_TEMP and others, docs/serving.md).
        The first SIGINT or SIGTERM lets running programs finish, and gives back what models work
        on, which later goes on from its last token; the second ends programs (they run again later)
        and exits with 130. The log goes to stdout, errors to stderr; MILLRACE_LOG_LEVEL is
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
            InferenceOptions.MODEL,
            EXEC,
            SlotOptions.SLOTS,
            EngineOptions.THREADS,
            InferenceOptions.CONTEXT,
            EngineOptions.CACHE,
            InferenceOptions.MEMORY,
            InferenceOptions.IDLE));
    options.addAll(HttpOptions.ALL);
    options.addAll(PipeOptions.all());
    options.addAll(List.of(NetworkOptions.CONFIG, DRAIN, WAIT, NO_WAIT, STATUS, STOP, TIMEOUT));
    return options;
  }

  /** What a configuration may say: what is told with each start, not what is asked once. */
  public static List<Option> configurable() {
    List<Option> options = options();
    options.removeAll(List.of(NetworkOptions.CONFIG, DRAIN, WAIT, NO_WAIT, STATUS, STOP, TIMEOUT));
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
    Arguments given = NetworkOptions.configured(shell, words, configurable());
    if (given.has(STATUS) || given.has(STOP)) {
      Path path = WorkspaceLocator.serverDirectory(shell, given);
      return given.has(STATUS)
          ? new ServeStatus(shell, path).print(given.has(Option.JSON))
          : new ServeStop(shell, path, given.has(Option.JSON))
              .run(given.integer(TIMEOUT, 1, 3_600, 20));
    }
    return ServeRun.of(shell, given).run();
  }

  private static void check(Arguments given) {
    given.exclude(STATUS, STOP);
    given.exclude(WAIT, NO_WAIT);
    for (Option query : new Option[] {STATUS, STOP}) {
      for (Option option : new Option[] {EXEC, SlotOptions.SLOTS, DRAIN, WAIT, NO_WAIT}) {
        given.exclude(query, option);
      }
      given.exclude(query, InferenceOptions.MODEL);
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
