package dev.millrace.cli;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;
import org.jspecify.annotations.Nullable;

/** Tells what a lever answered, job by job. */
final class Answers {
  static final Option COMMENT = Option.value("comment", "TEXT", "why, for the job's log");

  private final Shell shell;
  private final boolean json;
  private int status = ExitCode.OK;

  Answers(Shell shell, boolean json) {
    this.shell = shell;
    this.json = json;
  }

  /** Who pulls the lever, and why. */
  static Cause cause(Arguments given) {
    return Cause.user(System.getProperty("user.name"), given.get(COMMENT));
  }

  /**
   * @param past what has become of the job if it was done
   */
  void tell(JobId id, String past, Answer answer) {
    String refusal = refusal(answer);
    if (json) {
      shell.say(
          Json.write(
              JsonObject.create()
                  .put("id", id.value())
                  .put("answer", refusal == null ? past : kind(answer))
                  .putIfPresent("message", refusal)));
    } else if (refusal == null) {
      shell.say(id + " " + past);
    }
    if (refusal != null) {
      status = ExitCode.FAILED;
      if (!json) {
        shell.err().println("Error: " + id + ": " + refusal);
      }
    }
  }

  private static String kind(Answer answer) {
    return answer instanceof Answer.Missing ? "missing" : "refused";
  }

  /** Why it was not done; null if it was. */
  private static @Nullable String refusal(Answer answer) {
    return switch (answer) {
      case Answer.Done() -> null;
      case Answer.Refused(_, String message) -> message;
      case Answer.Fenced(String message) -> message;
      case Answer.Cancelled(String message) -> message;
      case Answer.Missing(String message) -> message;
    };
  }

  int status() {
    return status;
  }
}
