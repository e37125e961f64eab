package dev.millrace.cli.levers;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorCode;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.format.JobJson;
import dev.millrace.cli.place.MissingJob;
import dev.millrace.cli.place.Place;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The error of a lever that was not carried out, with the command that is possible instead. */
record LeverRefusal(Place place, JobLever asked) {

  /**
   * @param outcome anything but done
   */
  CommandException of(Outcome outcome) {
    JobView job = place.reader().find(asked.job()).orElse(null);
    if (job == null) {
      return MissingJob.error(place);
    }
    ErrorCode code = outcome instanceof Outcome.Missing ? ErrorCode.NOT_FOUND : ErrorCode.REFUSED;
    String reason = RefusalText.of(job, asked.lever());
    String message = reason == null ? messageOf(outcome) : reason; // it may have changed meanwhile
    Possible possible = possible(job);
    return possible == null
        ? new CommandException(code, message)
        : CommandException.suggesting(code, message, possible.command, possible.effect);
  }

  private record Possible(SuggestedCommand command, String effect) {}

  /** What the user may want to do instead; null if nothing comes to mind. */
  private @Nullable Possible possible(JobView job) {
    if (job.state().isFinal()) {
      return asked.lever() instanceof Lever.Abort
          ? null
          : new Possible(command("retry"), "runs it again as a new job");
    }
    if (asked.lever() instanceof Lever.Pause) {
      return new Possible(command("resume"), "resumes it");
    }
    Optional<StageView> waiting =
        job.stages().stream().filter(stage -> JobJson.isAtGate(job, stage)).findFirst();
    if (waiting.isPresent()) {
      int stage = waiting.get().number();
      return new Possible(
          command("approve").with(stage), "approves stage " + stage + ", which waits");
    }
    return asked.lever() instanceof Lever.Approve
        ? new Possible(command("job"), "shows its stages")
        : null;
  }

  private SuggestedCommand command(String name) {
    return SuggestedCommand.of(name).on(place.name()).with(asked.job());
  }

  private static String messageOf(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Refused(_, String message) -> message;
      case Outcome.Fenced(String message) -> message;
      case Outcome.Cancelled(String message) -> message;
      case Outcome.Missing(String message) -> message;
      case Outcome.Done _ -> throw new IllegalStateException("the lever was carried out");
    };
  }
}
