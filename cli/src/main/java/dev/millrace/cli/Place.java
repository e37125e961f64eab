package dev.millrace.cli;

import dev.millrace.core.Work;
import dev.millrace.core.job.JobId;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;
import dev.millrace.core.store.Reading;
import dev.millrace.store.fs.Owner;
import dev.millrace.store.fs.Workspace;
import java.time.Duration;

/** Where jobs are: in a workspace of this machine, or behind a server's HTTP API. */
interface Place extends AutoCloseable {

  /** As the user named it. */
  String name();

  Work work();

  Reading reading();

  Answer pause(JobId id, Cause cause);

  Answer resume(JobId id, Cause cause);

  Answer abort(JobId id, Cause cause);

  Answer approve(JobId id, int stage, Cause cause);

  /** Who works on the jobs. */
  Owner owner();

  /** The job's files; none where they are out of reach. */
  JobDirectory directory(JobId id);

  /** Whether {@link Reading#draft} tells what is being generated. */
  boolean drafts();

  /** How often somebody who follows a job may look at it. */
  Duration round();

  /**
   * The workspace, for what needs its files.
   *
   * @param command which needs it
   * @throws Refusal if there is none within reach
   */
  Workspace workspace(String command);

  @Override
  void close();
}
