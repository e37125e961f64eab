package dev.millrace.cli.workspace;

import dev.millrace.core.Work;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.Outcome;
import dev.millrace.store.fs.OwnerStatus;
import dev.millrace.store.fs.Workspace;
import java.time.Duration;

/** A workspace in a directory. */
public record LocalWorkspace(String name, Workspace workspace) implements WorkspaceAccess {
  private static final Duration ROUND = Duration.ofMillis(30);

  @Override
  public Work work() {
    return workspace.work();
  }

  @Override
  public JobReader reader() {
    return workspace.reader();
  }

  @Override
  public Outcome pause(JobId id, Cause cause) {
    return workspace.controls().pause(id, cause);
  }

  @Override
  public Outcome resume(JobId id, Cause cause) {
    return workspace.controls().resume(id, cause);
  }

  @Override
  public Outcome abort(JobId id, Cause cause) {
    return workspace.controls().abort(id, cause);
  }

  @Override
  public Outcome approve(JobId id, int stage, Cause cause) {
    return workspace.controls().approve(id, stage, cause);
  }

  @Override
  public OwnerStatus owner() {
    return workspace.owner();
  }

  @Override
  public JobArtifacts artifacts(JobId id) {
    return JobArtifacts.of(workspace, id);
  }

  @Override
  public boolean showsDrafts() {
    return true;
  }

  @Override
  public Duration pollInterval() {
    return ROUND;
  }

  @Override
  public Workspace requireWorkspace(String command) {
    return workspace;
  }

  @Override
  public void close() {}
}
