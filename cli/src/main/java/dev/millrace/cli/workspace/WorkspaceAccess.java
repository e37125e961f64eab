package dev.millrace.cli.workspace;

import dev.millrace.cli.command.CommandException;
import dev.millrace.core.Work;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.Outcome;
import dev.millrace.store.fs.Owner;
import dev.millrace.store.fs.Workspace;
import java.time.Duration;

/** Where jobs are: in a workspace of this machine, or behind a server's HTTP API. */
public interface WorkspaceAccess extends AutoCloseable {

  /** As the user named it. */
  String name();

  Work work();

  JobReader reading();

  Outcome pause(JobId id, Cause cause);

  Outcome resume(JobId id, Cause cause);

  Outcome abort(JobId id, Cause cause);

  Outcome approve(JobId id, int stage, Cause cause);

  /** Who works on the jobs. */
  Owner owner();

  /** The job's files; none where they are out of reach. */
  JobDirectory directory(JobId id);

  /** Whether {@link JobReader#outputSoFar} tells what is being generated. */
  boolean showsDrafts();

  /** How often somebody who follows a job may look at it. */
  Duration pollInterval();

  /**
   * The workspace, for what needs its files.
   *
   * @param command which needs it
   * @throws CommandException if there is none within reach
   */
  Workspace requireWorkspace(String command);

  @Override
  void close();
}
