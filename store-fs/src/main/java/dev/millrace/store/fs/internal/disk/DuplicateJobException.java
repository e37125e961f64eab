package dev.millrace.store.fs.internal.disk;

import dev.millrace.core.job.JobState;
import java.io.IOException;

/** A job that has not ended has a second directory: none of the two may be taken for it. */
public final class DuplicateJobException extends IOException {
  private static final long serialVersionUID = 1L;

  public DuplicateJobException(WorkspaceLayout layout, JobState one, JobState other) {
    super(
        "it is in "
            + layout.root().relativize(layout.of(one))
            + " and in "
            + layout.root().relativize(layout.of(other))
            + ", perhaps restored from a backup; move one of the two directories out of the"
            + " workspace");
  }
}
