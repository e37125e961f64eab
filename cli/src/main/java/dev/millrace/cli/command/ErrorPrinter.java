package dev.millrace.cli.command;

import dev.millrace.core.internal.secret.SecretRedactor;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Prints errors to standard error: a line of text, or with {@code --json} one object on one line,
 * the same for all commands.
 */
public record ErrorPrinter(Shell shell, boolean json) {

  public void print(ErrorCode code, String message) {
    print(code, null, message, null);
  }

  public void print(CommandException e) {
    print(e.code(), null, e.getMessage(), e.hint());
  }

  /** The same for one of several jobs. */
  public void print(JobId id, CommandException e) {
    print(e.code(), id, e.getMessage(), e.hint());
  }

  /** A wrong command line, and the command that explains it. */
  public void printUsage(String message, SuggestedCommand help) {
    print(ErrorCode.USAGE, null, message, help);
    if (!json) {
      shell.err().println("See: " + help);
    }
  }

  /** A line of text in the command's own words, or an error in JSON. */
  public void printLine(ErrorCode code, JobId id, String line) {
    if (json) {
      print(code, id, line, null);
    } else {
      shell.err().println(line);
    }
  }

  private void print(
      ErrorCode code, @Nullable JobId id, String text, @Nullable SuggestedCommand hint) {
    String message = SecretRedactor.redact(text);
    shell.out().flush();
    if (!json) {
      shell.err().println("Error: " + (id == null ? "" : id + ": ") + message);
      return;
    }
    JsonObject error =
        JsonObject.create()
            .put("code", code.word())
            .put("message", message)
            .putIfPresent("id", id == null ? null : id.value())
            .putIfPresent("hint", hint == null ? null : hint.toString());
    shell.err().println(Json.write(JsonObject.create().put("error", error)));
  }
}
