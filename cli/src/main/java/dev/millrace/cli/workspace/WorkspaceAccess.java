package dev.millrace.cli.workspace;

import dev.millrace.cli.command.CommandException;
import dev.millrace.core.Work;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.Outcome;
import dev.millrace.store.fs.OwnerStatus;
import dev.millrace.store.fs.Workspace;
import java.time.Duration;

/** Access to the jobs of a workspace: in a directory, or through a server's HTTP API. */
public interface WorkspaceAccess extends AutoCloseable {

  /** The workspace as the user named it. */
  String name();

  Work work();

  JobReader reader();

  Outcome pause(JobId id, Cause cause);

  Outcome resume(JobId id, Cause cause);

  Outcome abort(JobId id, Cause cause);

  Outcome approve(JobId id, int stage, Cause cause);

  /** The server that owns the workspace. */
  OwnerStatus owner();

  /** The job's files; none if they cannot be reached. */
  JobArtifacts artifacts(JobId id);

  /** Whether {@link JobReader#outputSoFar} returns what is being generated. */
  boolean showsDrafts();

  /** How often a command that follows a job may poll it. */
  Duration pollInterval();

  /**
   * The workspace itself, for commands that need its files.
   *
   * @param command its name, for the error
   * @throws CommandException if the workspace is not a directory of this machine
   */
  Workspace requireWorkspace(String command);

  @Override
  void close();
}
