package dev.millrace.cli;

import dev.millrace.core.Work;
import dev.millrace.core.job.JobId;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;
import dev.millrace.core.store.Reading;
import dev.millrace.store.fs.Owner;
import dev.millrace.store.fs.Workspace;
import java.time.Duration;

/** A workspace in a directory. */
record LocalPlace(String name, Workspace workspace) implements Place {
  private static final Duration ROUND = Duration.ofMillis(30);

  @Override
  public Work work() {
    return workspace.work();
  }

  @Override
  public Reading reading() {
    return workspace.reading();
  }

  @Override
  public Answer pause(JobId id, Cause cause) {
    return workspace.controls().pause(id, cause);
  }

  @Override
  public Answer resume(JobId id, Cause cause) {
    return workspace.controls().resume(id, cause);
  }

  @Override
  public Answer abort(JobId id, Cause cause) {
    return workspace.controls().abort(id, cause);
  }

  @Override
  public Answer approve(JobId id, int stage, Cause cause) {
    return workspace.controls().approve(id, stage, cause);
  }

  @Override
  public Owner owner() {
    return workspace.owner();
  }

  @Override
  public JobDirectory directory(JobId id) {
    return JobDirectory.of(workspace, id);
  }

  @Override
  public boolean drafts() {
    return true;
  }

  @Override
  public Duration round() {
    return ROUND;
  }

  @Override
  public Workspace workspace(String command) {
    return workspace;
  }

  @Override
  public void close() {}
}
