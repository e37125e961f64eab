package dev.millrace.cli;

import dev.millrace.core.job.JobId;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;

/** {@code millrace pause}: any state that is not final, to PAUSED. */
final class PauseCommand extends LeverCommand {
  PauseCommand() {
    super("pause", "paused", "Holds jobs: nothing new of them is started until they are resumed.");
  }

  @Override
  Answer pull(Place place, JobId id, Cause cause) {
    return place.pause(id, cause);
  }
}
