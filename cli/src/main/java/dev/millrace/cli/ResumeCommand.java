package dev.millrace.cli;

import dev.millrace.core.job.JobId;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;

/** {@code millrace resume}: PAUSED to where the job was. */
final class ResumeCommand extends LeverCommand {
  ResumeCommand() {
    super("resume", "resumed", "Lets jobs go on that were paused, or submitted on hold.");
  }

  @Override
  Answer pull(Place place, JobId id, Cause cause) {
    return place.resume(id, cause);
  }
}
