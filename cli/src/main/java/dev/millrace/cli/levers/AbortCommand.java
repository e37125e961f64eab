package dev.millrace.cli.levers;

import dev.millrace.cli.workspace.WorkspaceAccess;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Outcome;

/** {@code millrace abort}: moves jobs from any state that is not final to ABORTED. */
public final class AbortCommand extends LeverCommand {
  public AbortCommand() {
    super("abort", "aborted", "Cancels jobs for good, with all of their unfinished tasks.");
  }

  @Override
  Outcome apply(WorkspaceAccess access, JobId id, Cause cause) {
    return access.abort(id, cause);
  }
}
