package dev.millrace.cli.levers;

import dev.millrace.cli.workspace.WorkspaceAccess;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Outcome;

/** {@code millrace abort}: any state that is not final, to ABORTED. */
public final class AbortCommand extends LeverCommand {
  public AbortCommand() {
    super("abort", "aborted", "Ends jobs for good, with all that is unfinished in them.");
  }

  @Override
  Outcome pull(WorkspaceAccess place, JobId id, Cause cause) {
    return place.abort(id, cause);
  }
}
