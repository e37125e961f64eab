package dev.millrace.cli.levers;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.ErrorPrinter;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.place.Place;
import dev.millrace.core.event.Cause;
import dev.millrace.core.internal.rules.LogLimits;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Outcome;

/** Reports the outcome of a lever for each job. */
final class LeverReport {
  static final Option COMMENT = Option.value("comment", "TEXT", "why, for the job's log");

  private final Shell shell;
  private final Place place;
  private final boolean json;
  private final ErrorPrinter errors;
  private int status = ExitCode.OK;

  LeverReport(Shell shell, Place place, boolean json) {
    this.shell = shell;
    this.place = place;
    this.json = json;
    this.errors = new ErrorPrinter(shell, json);
  }

  /** The user, and the comment. */
  static Cause cause(Arguments given) {
    Cause cause = Cause.user(System.getProperty("user.name"), given.get(COMMENT));
    try {
      LogLimits.requireCause(cause);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--" + e.getMessage());
    }
    return cause;
  }

  void report(JobLever asked, Outcome outcome) {
    if (!outcome.isDone()) {
      status = ExitCode.FAILED;
      errors.print(asked.job(), new LeverRefusal(place, asked).of(outcome));
    } else if (json) {
      shell.printLine(
          Json.write(
              JsonObject.create().put("id", asked.job().value()).put("answer", asked.success())));
    } else {
      shell.printLine(asked.job() + " " + asked.success());
    }
  }

  int status() {
    return status;
  }
}
