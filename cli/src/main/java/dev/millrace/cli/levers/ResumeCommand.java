package dev.millrace.cli.levers;

import dev.millrace.cli.workspace.WorkspaceAccess;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Outcome;

/** {@code millrace resume}: moves PAUSED jobs back to the state that they had before. */
public final class ResumeCommand extends LeverCommand {
  public ResumeCommand() {
    super("resume", "resumed", "Resumes jobs that were paused, or submitted with --hold.");
  }

  @Override
  Outcome apply(WorkspaceAccess access, JobId id, Cause cause) {
    return access.resume(id, cause);
  }
}
