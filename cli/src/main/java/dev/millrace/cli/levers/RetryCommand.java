package dev.millrace.cli.levers;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorCode;
import dev.millrace.cli.command.ErrorPrinter;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.place.MissingJob;
import dev.millrace.cli.place.Place;
import dev.millrace.cli.place.PlaceLocator;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import java.util.List;
import java.util.Objects;

/**
 * {@code millrace retry}: runs a finished job again, as a new job that names the old one and adopts
 * what it completed.
 */
public final class RetryCommand implements Command {
  private static final Option FROM_START =
      Option.flag("from-start", "repeat everything, also what was completed");

  @Override
  public Syntax syntax() {
    return new Syntax(
        "retry",
        List.of("[DIR|URL] ID... [options]"),
        "Runs finished jobs again, as new jobs, and prints their ids.",
        List.of(FROM_START, PlaceLocator.OPTION),
        """
        A new job adopts the completed tasks of the old one, with their results and receipts, and
        begins where that failed or was aborted; the old one can be deleted. Failed tasks run again,
        also those that a stage tolerated, and with them everything made from the results of their
        stage. A gate stays approved if a task behind it, and all before it, is adopted. A job that
        completed with all its tasks is repeated from the start.
        Exit status: 0 done, 1 rejected or missing (at least one of several), 2 wrong usage.\
        """);
  }

  @Override
  public int run(Shell shell, Arguments given) {
    PlaceLocator.Found found = PlaceLocator.locate(shell, given);
    List<JobId> ids = found.ids();
    try (Place place = found.place()) {
      return retry(shell, given, place, ids);
    }
  }

  private static int retry(Shell shell, Arguments given, Place place, List<JobId> ids) {
    ErrorPrinter errors = new ErrorPrinter(shell, given.has(Option.JSON));
    int status = ExitCode.OK;
    for (JobId id : ids) {
      try {
        print(shell, given, id, again(place, id, given.has(FROM_START)));
      } catch (CommandException e) {
        errors.print(id, e);
        status = ExitCode.FAILED;
      }
    }
    return status;
  }

  private static void print(Shell shell, Arguments given, JobId old, RetryResult result) {
    JobId id = Objects.requireNonNull(result.id());
    if (given.has(Option.JSON)) {
      shell.printLine(
          Json.write(
              JsonObject.create()
                  .put("id", id.value())
                  .put("retry_of", old.value())
                  .put("adopted", result.adopted())
                  .put("tasks", result.tasks())));
      return;
    }
    shell.printLine(id.value());
    if (result.adopted() > 0) {
      shell
          .err()
          .println(
              "adopted " + result.adopted() + " of " + result.tasks() + " tasks from job " + old);
    }
  }

  private static RetryResult again(Place place, JobId id, boolean fromStart) {
    RetryResult result;
    try {
      result = place.retry(new RetryRequest(id, fromStart, null));
    } catch (IllegalArgumentException e) {
      throw new CommandException(e.getMessage());
    }
    return switch (result.outcome()) {
      case Outcome.Done _ -> result;
      case Outcome.Missing _ -> throw MissingJob.error(place);
      case Outcome refused -> throw new CommandException(ErrorCode.REFUSED, refused.message());
    };
  }
}
