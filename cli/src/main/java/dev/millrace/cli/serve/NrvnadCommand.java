package dev.millrace.cli.serve;

import dev.millrace.cli.args.ArgumentParser;
import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.EnvironmentVariables;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.HelpText;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.model.NrvnaModelSearch;
import dev.millrace.cli.place.OwnablePlace;
import dev.millrace.cli.place.PlaceLocator;
import dev.millrace.cli.place.PlaceOpener;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code nrvnad}: {@code serve} under the name and with the arguments of nrvna's daemon. Like it,
 * it opens no port, logs to stderr, and ends if another server owns the workspace.
 */
public final class NrvnadCommand implements Command {
  private static final String STATUS = "status";
  private static final String STOP = "stop";
  private static final int MAX_WORKERS = 64;
  private static final int USUAL_WORKERS = 4;

  private static final Option MMPROJ = Option.value("mmproj", "PATH", "");
  private static final Option VOCODER = Option.value("vocoder", "PATH", "");
  private static final Option WORKERS =
      Option.wholeNumber("workers", "N", "jobs at once, 1 to 64 (default 4, or NRVNA_WORKERS)")
          .letter('w');

  private static final Option TIMEOUT =
      Option.wholeNumber(
          "timeout",
          "S",
          "with stop: seconds until it is signalled again,\n1 to 3600 (default 20)");

  private static final Option JSON = Option.flag(Option.JSON.name(), "with status: print JSON");

  @Override
  public Syntax syntax() {
    return new Syntax(
        "nrvnad",
        List.of(
            "MODEL WORKSPACE [options]",
            "status WORKSPACE [--json]",
            "stop WORKSPACE [--timeout S]"),
        "Processes the prompts of a workspace, as nrvna's daemon does.",
        List.of(WORKERS, ServeCommand.DRAIN, TIMEOUT, MMPROJ, VOCODER, JSON, Option.VERSION),
        """
        MODEL is a GGUF file, or a part of the name of one in NRVNA_MODELS_DIR, the directory
        "models" where Millrace is or beside it, or ./models: the first in order; else a name that
        "millrace models" lists, such as "house", the bundled model.
        The variables NRVNA_PREDICT, NRVNA_TEMP and others set the defaults of jobs
        (docs/serving.md). The log goes to stderr. "millrace serve" does the same and more.
        Exit status: 0 ended or drained, 1 any error, 130 after a second signal. status: 0 ready,
        2 starting, 1 not running. stop: 0 stopped or not running, 1 still running.\
        """);
  }

  @Override
  public int usageStatus() {
    return ExitCode.FAILED;
  }

  @Override
  public boolean logsAtInfo() {
    return true;
  }

  @Override
  public int run(Shell shell, Arguments given) throws InterruptedException {
    List<String> words = given.words();
    String first = words.isEmpty() ? "" : words.getFirst();
    boolean asks = first.equals(STATUS) || first.equals(STOP);
    check(given, first, asks);
    if (!asks) {
      return words.isEmpty() ? help(shell) : serve(shell, given, words.get(1));
    }
    PlaceLocator.requireStoppable(first.equals(STOP), words.get(1));
    if (!PlaceOpener.exists(shell, words.get(1))) {
      return first.equals(STATUS) ? notRunning(shell, given) : ExitCode.OK;
    }
    OwnablePlace place = PlaceOpener.openToManage(shell, words.get(1));
    return first.equals(STATUS)
        ? new OwnerStatusPrinter(shell, place, OwnerStatusPrinter.NRVNA_FIELDS)
            .print(given.has(Option.JSON))
        : new OwnerStopper(shell, place, false).run(given.integer(TIMEOUT, 1, 3_600, 20));
  }

  /** Where there is no workspace yet, no daemon runs: scripts stop and ask before they start one. */
  private static int notRunning(Shell shell, Arguments given) {
    shell
        .out()
        .println(given.has(Option.JSON) ? "{\"running\":false,\"ready\":false}" : "not running");
    return ExitCode.FAILED;
  }

  private static int serve(Shell shell, Arguments given, String workspace)
      throws InterruptedException {
    String ifOwned = SuggestedCommand.of("nrvnad", "stop").on(workspace).to("stops it");
    return ServeRun.of(shell, serve(shell, given), null, ifOwned).run();
  }

  private int help(Shell shell) {
    shell.out().print(HelpText.of(syntax()));
    return ExitCode.OK;
  }

  private static void check(Arguments given, String first, boolean asks) {
    int words = given.words().size();
    boolean bare = words == 0 && !given.has(WORKERS) && !given.has(ServeCommand.DRAIN);
    if (!bare && words < 2) {
      throw new UsageException(
          asks
              ? "no workspace: nrvnad " + first + " WORKSPACE"
              : "a model and a workspace are needed: nrvnad MODEL WORKSPACE");
    }
    if (words > 2) {
      throw new UsageException("unexpected argument: " + given.words().get(2));
    }
    for (Option option : new Option[] {MMPROJ, VOCODER}) {
      if (given.has(option)) {
        throw new UsageException(
            option.shown()
                + " is not supported: Millrace works on text. "
                + (option == MMPROJ
                    ? "Turn images and sound into text first, with a program of your own"
                    : "Make speech of a result in a last stage, with a program of your own that"
                        + " reads the text")
                + " (\"serve --exec TYPE=COMMAND\"), or keep nrvna for this;"
                + " docs/moving.md shows stages");
      }
    }
    goesWith(given, TIMEOUT, first.equals(STOP), "nrvnad stop");
    goesWith(given, Option.JSON, first.equals(STATUS), "nrvnad status");
    goesWith(given, WORKERS, !asks, "nrvnad MODEL WORKSPACE");
    goesWith(given, ServeCommand.DRAIN, !asks, "nrvnad MODEL WORKSPACE");
  }

  private static void goesWith(Arguments given, Option option, boolean allowed, String form) {
    if (given.has(option) && !allowed) {
      throw new UsageException(option.shown() + " goes with \"" + form + "\"");
    }
  }

  /** The same as arguments of {@code serve}. */
  private static Arguments serve(Shell shell, Arguments given) {
    Integer variable = new EnvironmentVariables(shell).integer(1, MAX_WORKERS, "WORKERS");
    int workers =
        given.integer(WORKERS, 1, MAX_WORKERS, variable == null ? USUAL_WORKERS : variable);
    List<String> words = new ArrayList<>();
    words.add("--model=" + NrvnaModelSearch.option(shell, given.words().getFirst()));
    words.add("--workspace=" + given.words().get(1));
    words.add("--slots=" + workers);
    words.add("--no-http");
    if (!Boolean.TRUE.equals(new EnvironmentVariables(shell).flag("WARMUP"))) {
      words.add("--no-warmup"); // as nrvna's daemon, unless NRVNA_WARMUP is 1
    }
    // nrvna's daemon waits for another one only to watch how it drains the workspace.
    words.add(given.has(ServeCommand.DRAIN) ? "--drain" : "--no-wait");
    return ArgumentParser.parse(new ServeCommand().syntax(), words.toArray(String[]::new), 0);
  }
}
