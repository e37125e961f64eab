package dev.millrace.cli;

import dev.millrace.core.job.JobId;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;

/** {@code millrace abort}: any state that is not final, to ABORTED. */
final class AbortCommand extends LeverCommand {
  AbortCommand() {
    super("abort", "aborted", "Ends jobs for good, with all that is unfinished in them.");
  }

  @Override
  Answer pull(Place place, JobId id, Cause cause) {
    return place.abort(id, cause);
  }
}
