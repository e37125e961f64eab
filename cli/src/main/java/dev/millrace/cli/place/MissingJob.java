package dev.millrace.cli.place;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorCode;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.core.job.JobId;
import dev.millrace.core.move.TakenOutJob;
import java.util.Optional;

/** The error of a command whose job is not in its place. */
public final class MissingJob {
  private MissingJob() {}

  /** For a message that names the job. */
  public static CommandException error(Place place, JobId id) {
    Optional<TakenOutJob> gone = place.takenOut(id);
    if (gone.isPresent()) {
      return gone(place, gone.get());
    }
    return error("no job " + id + " in ", place.name());
  }

  private static CommandException gone(Place place, TakenOutJob job) {
    String moved = "job " + job.id() + " has moved from " + place.name() + " to " + job.to().name();
    return job.arrived()
        ? new CommandException(ErrorCode.NOT_FOUND, moved)
        : CommandException.suggesting(
            ErrorCode.NOT_FOUND,
            "job " + job.id() + " is on its way from " + place.name() + " to " + job.to().name(),
            SuggestedCommand.of("move").with(place.name(), job.to().name()),
            "finishes the move that was interrupted");
  }

  /** For a message that begins with the job's id. */
  public static CommandException error(Place place) {
    return error("no such job in ", place.name());
  }

  /** For a place that is not open, after what is to be said. */
  public static CommandException error(String message, String place) {
    return CommandException.suggesting(
        ErrorCode.NOT_FOUND,
        message + place,
        SuggestedCommand.of("jobs").on(place),
        "lists all jobs");
  }
}
