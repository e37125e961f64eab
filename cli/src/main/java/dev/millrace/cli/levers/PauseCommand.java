package dev.millrace.cli.levers;

import dev.millrace.cli.workspace.WorkspaceAccess;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Outcome;

/** {@code millrace pause}: any state that is not final, to PAUSED. */
public final class PauseCommand extends LeverCommand {
  public PauseCommand() {
    super("pause", "paused", "Holds jobs: nothing new of them is started until they are resumed.");
  }

  @Override
  Outcome pull(WorkspaceAccess place, JobId id, Cause cause) {
    return place.pause(id, cause);
  }
}
