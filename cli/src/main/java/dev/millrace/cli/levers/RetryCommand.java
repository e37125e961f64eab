package dev.millrace.cli.levers;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.place.Place;
import dev.millrace.cli.place.PlaceLocator;
import dev.millrace.core.Work.SubmitResult;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import java.util.List;

/** {@code millrace retry}: submits a finished job again, as a new job that names the old one. */
public final class RetryCommand implements Command {
  @Override
  public Syntax syntax() {
    return new Syntax(
        "retry",
        List.of("[DIR|URL] ID... [options]"),
        "Runs finished jobs again, as new jobs, and prints their ids.",
        List.of(PlaceLocator.OPTION),
        "Exit status: 0 done, 1 rejected or missing (at least one of several), 2 wrong usage.");
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
    int status = ExitCode.OK;
    for (JobId id : ids) {
      try {
        JobId again = again(place, id);
        shell.printLine(
            given.has(Option.JSON)
                ? Json.write(
                    JsonObject.create().put("id", again.value()).put("retry_of", id.value()))
                : again.value());
      } catch (CommandException e) {
        shell.err().println("Error: " + id + ": " + e.getMessage());
        status = ExitCode.FAILED;
      }
    }
    return status;
  }

  private static JobId again(Place place, JobId id) {
    JobReader reader = place.reader();
    JobState state = reader.state(id).orElseThrow(() -> new CommandException("no such job"));
    if (!state.isFinal()) {
      throw new CommandException(
          "job is " + state + "; only a finished job can be run again: wait for it, or abort it");
    }
    JobSpec old = reader.spec(id).orElseThrow(() -> new CommandException("no such job"));
    JobSpec spec =
        old.toBuilder()
            .held(false)
            .retryOf(id)
            .open(old.stages().isEmpty()) // a job with stages is complete by now
            .build();
    SubmitResult result = place.work().submit(spec);
    if (!result.ok()) {
      throw new CommandException(result.message());
    }
    return result.id();
  }
}
