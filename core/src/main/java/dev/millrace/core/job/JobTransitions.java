package dev.millrace.core.job;

import static dev.millrace.core.job.JobState.ABORTED;
import static dev.millrace.core.job.JobState.COMPLETED;
import static dev.millrace.core.job.JobState.CREATED;
import static dev.millrace.core.job.JobState.FAILED;
import static dev.millrace.core.job.JobState.IN_PROGRESS;
import static dev.millrace.core.job.JobState.PAUSED;
import static dev.millrace.core.job.JobState.PENDING;
import static dev.millrace.core.state.Actor.SYSTEM;
import static dev.millrace.core.state.Actor.USER;

import dev.millrace.core.state.TransitionTable;
import java.util.EnumSet;
import java.util.Set;

/** The transition table of a job. */
public final class JobTransitions {

  public static final TransitionTable<JobState, JobEvent> TABLE =
      TransitionTable.of("job", JobState.class, JobEvent.class)
          .on(JobEvent.ENQUEUE, Set.of(SYSTEM), EnumSet.of(CREATED), PENDING, "it was submitted")
          .on(JobEvent.START, Set.of(USER), EnumSet.of(CREATED), PENDING, "it was submitted on hold")
          .on(JobEvent.RESUME, Set.of(USER), EnumSet.of(PAUSED), PENDING, "it was paused")
          .on(JobEvent.PAUSE, Set.of(USER), EnumSet.of(CREATED, PENDING, IN_PROGRESS), PAUSED, "")
          .on(JobEvent.ABORT, Set.of(USER), EnumSet.of(CREATED, PENDING, IN_PROGRESS, PAUSED),
              ABORTED, "stages and unfinished tasks end with it")
          .on(JobEvent.BEGIN, Set.of(SYSTEM), EnumSet.of(PENDING), IN_PROGRESS,
              "a task started, or had started before a pause")
          .on(JobEvent.COMPLETE, Set.of(SYSTEM), EnumSet.of(PENDING, IN_PROGRESS), COMPLETED,
              "all stages completed")
          .on(JobEvent.FAIL, Set.of(SYSTEM), EnumSet.of(PENDING, IN_PROGRESS), FAILED,
              "a stage failed; unfinished stages and tasks are aborted")
          .build();

  private JobTransitions() {}
}
