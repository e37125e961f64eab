package dev.millrace.cli.levers;

import dev.millrace.cli.workspace.WorkspaceAccess;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Outcome;

/** {@code millrace resume}: PAUSED to where the job was. */
public final class ResumeCommand extends LeverCommand {
  public ResumeCommand() {
    super("resume", "resumed", "Lets jobs go on that were paused, or submitted on hold.");
  }

  @Override
  Outcome pull(WorkspaceAccess place, JobId id, Cause cause) {
    return place.resume(id, cause);
  }
}
