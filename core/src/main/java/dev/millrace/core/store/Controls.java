package dev.millrace.core.store;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;
import java.time.Instant;
import java.util.Set;

/** The levers of a user. Each is durable when it returns. */
public interface Controls {

  /** CREATED, PENDING or IN_PROGRESS to PAUSED. */
  Answer pause(JobId id, Cause cause);

  /** PAUSED to PENDING, and on to where it was; what finished meanwhile takes effect. */
  Answer resume(JobId id, Cause cause);

  /** Any state that is not final to ABORTED, with every stage and unfinished task. */
  Answer abort(JobId id, Cause cause);

  /** A WAITING stage whose predecessor is COMPLETED to PENDING. */
  Answer approve(JobId id, int stage, Cause cause);

  /**
   * A CREATED, PENDING or IN_PROGRESS stage to WAITING, for an external condition: the system's
   * lever, pulled by whatever watches that condition. A user's approval lets it go on.
   */
  Answer hold(JobId id, int stage, Cause cause);

  /**
   * Deletes jobs that ended before {@code before} in one of the final {@code states}. Nothing else
   * ever deletes a job.
   *
   * @return how many
   */
  int prune(Instant before, Set<JobState> states);
}
