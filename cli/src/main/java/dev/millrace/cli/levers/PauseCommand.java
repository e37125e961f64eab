package dev.millrace.cli.levers;

import dev.millrace.cli.workspace.WorkspaceAccess;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Outcome;

/** {@code millrace pause}: moves jobs from any state that is not final to PAUSED. */
public final class PauseCommand extends LeverCommand {
  public PauseCommand() {
    super("pause", "paused", "Pauses jobs: none of their tasks is started until they are resumed.");
  }

  @Override
  Outcome apply(WorkspaceAccess access, JobId id, Cause cause) {
    return access.pause(id, cause);
  }
}
