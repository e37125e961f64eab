package dev.millrace.cli.levers;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Outcome;
import org.jspecify.annotations.Nullable;

/** Reports the outcome of a lever for each job. */
final class LeverReport {
  static final Option COMMENT = Option.value("comment", "TEXT", "why, for the job's log");

  private final Shell shell;
  private final boolean json;
  private int status = ExitCode.OK;

  LeverReport(Shell shell, boolean json) {
    this.shell = shell;
    this.json = json;
  }

  /** The user, and the comment. */
  static Cause cause(Arguments given) {
    return Cause.user(System.getProperty("user.name"), given.get(COMMENT));
  }

  /**
   * @param past what happened to the job on success
   */
  void report(JobId id, String past, Outcome outcome) {
    String rejection = rejection(outcome);
    if (json) {
      shell.printLine(
          Json.write(
              JsonObject.create()
                  .put("id", id.value())
                  .put("answer", rejection == null ? past : kind(outcome))
                  .putIfPresent("message", rejection)));
    } else if (rejection == null) {
      shell.printLine(id + " " + past);
    }
    if (rejection != null) {
      status = ExitCode.FAILED;
      if (!json) {
        shell.err().println("Error: " + id + ": " + rejection);
      }
    }
  }

  private static String kind(Outcome outcome) {
    return outcome instanceof Outcome.Missing ? "missing" : "refused";
  }

  /** Why it was rejected; null on success. */
  private static @Nullable String rejection(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Done _ -> null;
      case Outcome.Refused(_, String message) -> message;
      case Outcome.Fenced(String message) -> message;
      case Outcome.Cancelled(String message) -> message;
      case Outcome.Missing(String message) -> message;
    };
  }

  int status() {
    return status;
  }
}
