package dev.millrace.cli.read;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.place.JobIdLookup;
import dev.millrace.cli.place.Place;
import dev.millrace.cli.place.PlaceOpener;
import dev.millrace.core.job.JobId;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code millrace flow}: prints results and status, waits for jobs, follows them. */
public final class FlowCommand implements Command {
  static final Option WAIT = Option.flag("wait", "wait until the job has ended").letter('w');
  static final Option IDLE =
      Option.flag(
              "wait-idle",
              "wait until nothing is queued or running, in the\n"
                  + "workspace or among the selected jobs")
          .letter('W');
  static final Option TAG =
      Option.value(
          "tag",
          "TAG",
          "select the jobs with this tag: their ids, or\n" + "with --json one object per line");
  static final Option CHILDREN =
      Option.value("children", "ID", "select the jobs whose parent is ID");
  static final Option FOLLOW =
      Option.flag(
              "follow",
              "show the text as it is generated; for several tasks,\n"
                  + "their progress, then the results")
          .letter('f');
  static final Option TIMEOUT =
      Option.value(
          "timeout",
          "TIME",
          "with -w, -W or -f: stop waiting after 30s, 10m or a\n"
              + "number of seconds; the exit status is 2 then");
  static final Option STAGE =
      Option.value("stage", "N", "results of stage N instead of the last one");
  static final Option TASKS =
      Option.flag("tasks", "list the tasks: state, attempts, result or error");

  @Override
  public Syntax syntax() {
    return new Syntax(
        "flow",
        List.of("DIR|URL [options]", "DIR|URL ID [options]"),
        "Prints a job's result, or the status of a workspace or a server.",
        List.of(WAIT, IDLE, FOLLOW, TIMEOUT, TAG, CHILDREN, STAGE, TASKS, Option.VERSION),
        """
        The result of a single task is printed as it is, the results of several as one JSON object
        per line. With -f, standard output ends with the result, byte for byte. Text before it that
        is not part of the result, such as thoughts or an answer that was restarted, is marked on
        stderr. With -f --json: events, pieces of text {"stage","task","text"}, and at the end the
        job. A URL is that of a server, with the key in MILLRACE_API_KEY; over HTTP, -f shows the
        job's log and then the result, because the API does not send unfinished text.
        Examples:
          millrace flow ./ws                                  how many jobs wait, run and are done
          millrace work ./ws "prompt" | millrace flow ./ws -w   submit and wait in one pipe
          millrace flow ./ws -W --tag nightly                 wait for your jobs
          millrace flow ./ws --tag nightly --json             collect a whole batch
        ID may be a part of an id that no other job has, such as the short ids of "millrace jobs".
        Exit status: 0 done, 1 failed, cancelled, missing or an error, 2 not ready (queued, running,
        paused). A selection with --json, and -W: 1 if a job failed, else 0.\
        """);
  }

  @Override
  public int usageStatus() {
    return ExitCode.FAILED;
  }

  @Override
  public int run(Shell shell, Arguments given) throws IOException, InterruptedException {
    if (given.words().isEmpty()) {
      throw new UsageException("no workspace: name its directory");
    }
    if (given.words().size() > 2) {
      throw new UsageException("only one job ID may be provided");
    }
    String word = given.words().size() == 2 ? given.words().get(1) : null;
    boolean selection = given.has(TAG) || given.has(CHILDREN);
    check(given, word, selection);
    String named = word == null ? piped(shell, given) : word;
    WaitLimit limit = WaitLimit.of(given.durationOrSeconds(TIMEOUT));
    try (Place place = PlaceOpener.openExisting(shell, given.words().getFirst())) {
      if (selection) {
        JobSelection set = JobSelection.of(given, place);
        return given.has(IDLE)
            ? set.await(shell, place, limit)
            : set.print(shell, place, given.has(Option.JSON));
      }
      if (named == null) {
        QueueSummary status = new QueueSummary(shell, place, given.has(Option.JSON));
        return given.has(IDLE) ? status.awaitIdle(limit) : status.print();
      }
      JobId id = JobIdLookup.find(place, named);
      return new JobResultPrinter(shell, place, id, given, limit).run();
    }
  }

  private static void check(Arguments given, @Nullable String id, boolean selection) {
    if (id != null && selection) {
      throw new UsageException("job ID cannot be combined with --tag or --children");
    }
    if (selection && (given.has(WAIT) || given.has(FOLLOW))) {
      throw new UsageException("use -W, not -w or -f, when waiting for a selected set");
    }
    if (given.has(IDLE) && (id != null || given.has(WAIT) || given.has(FOLLOW))) {
      throw new UsageException("-W waits for many jobs; for one, use -w");
    }
    given.exclude(WAIT, FOLLOW);
    given.exclude(FOLLOW, TASKS);
    if (given.has(TIMEOUT) && !given.has(WAIT) && !given.has(IDLE) && !given.has(FOLLOW)) {
      throw new UsageException(TIMEOUT.shown() + " goes with -w, -W or -f");
    }
    boolean one = id != null || given.has(WAIT) || given.has(FOLLOW);
    for (Option option : new Option[] {STAGE, TASKS}) {
      if (given.has(option) && !one) {
        throw new UsageException(option.shown() + " is for one job: give its id");
      }
    }
  }

  /** With {@code -w} or {@code -f} the id may come as the first word on stdin. */
  private static @Nullable String piped(Shell shell, Arguments given) throws IOException {
    if (!given.has(WAIT) && !given.has(FOLLOW)) {
      return null;
    }
    String word = shell.terminal().isTerminal(Shell.Terminal.IN) ? "" : firstWord(shell);
    if (word.isEmpty()) {
      throw new UsageException("No job ID received on stdin; give it as an argument");
    }
    return word;
  }

  private static String firstWord(Shell shell) throws IOException {
    StringBuilder word = new StringBuilder();
    for (int c = shell.in().read(); c >= 0; c = shell.in().read()) {
      if (c > ' ') {
        word.append((char) c);
      } else if (!word.isEmpty()) {
        break;
      }
      if (word.length() > JobId.MAX_LENGTH) {
        break; // too long for an id
      }
    }
    return word.toString();
  }
}
