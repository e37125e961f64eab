package dev.millrace.core.event;

import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.task.TaskEvent;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Something that happened to a job. Stages and tasks are numbered from 1. */
public sealed interface Fact {

  /**
   * The first fact of every job: it was submitted. Implies what follows from its plan alone: the
   * job enqueued (or held), the first stage open (or at its gate), given tasks enqueued.
   */
  record Submitted() implements Fact {}

  record JobChanged(JobEvent event, Cause cause) implements Fact {}

  /**
   * @param opening what the stage's templates came to; only where a template stage opens
   */
  record StageChanged(int stage, StageEvent event, Cause cause, @Nullable Opening opening)
      implements Fact {}

  record TaskChanged(int stage, int task, TaskEvent event, Detail detail) implements Fact {}

  /** A task got further: recoveries before this no longer count. */
  record TaskProgressed(int stage, int task) implements Fact {}

  /**
   * What a task's first attempt settled (model, parameters, seed): later attempts go by it, and a
   * second such fact replaces the first. What it means is between a worker and itself.
   */
  record TermsFrozen(int stage, int task, JsonObject terms) implements Fact {}

  /**
   * An open job got another stage.
   *
   * @param spec what was asked for, without tasks
   */
  record StageAdded(int stage, StageSpec spec, Cause cause) implements Fact {}

  /**
   * A stage of an open job got more tasks; none at all says of an empty stage that it stays empty.
   *
   * @param maxAttempts of each of them; 0: as their stage says
   */
  record TasksAdded(int stage, int tasks, int maxAttempts, Cause cause) implements Fact {}

  /**
   * A user replaced what is kept with a job, a stage or a task; {@code stage} and {@code task} are 0
   * where it is not about one.
   */
  record MetadataReplaced(int stage, int task, JsonObject metadata, Cause cause) implements Fact {}

  record Prioritized(Priority priority, Cause cause) implements Fact {}

  /** A line of a worker's log; {@code stage} and {@code task} are 0 where it is about the job. */
  record WorkerLogLine(int stage, int task, String level, String text) implements Fact {}

  /** How many tasks the templates of an opening stage made, or why they could not be resolved. */
  record Opening(int tasks, @Nullable String error) {}

  /** What belongs to an event of a task. */
  sealed interface Detail {
    /** Nothing more to say. */
    record None() implements Detail {}

    /**
     * {@code claim}: whose, in which epoch of the owner. The entry's number completes the token.
     *
     * @param lease how long it lives without a heartbeat, also through a change of the owner; null:
     *     as long as the owner
     * @param bare whether its worker cannot say the token: answers without one count for it
     */
    record Claimed(long epoch, String worker, @Nullable Duration lease, boolean tokenless)
        implements Detail {
      public Claimed(long epoch, String worker) {
        this(epoch, worker, null, false);
      }
    }

    /** {@code complete}: where the result stands; {@code length} 0 where it has a file of its own. */
    record Completed(long offset, int length) implements Detail {}

    /** {@code retry}: what failed, and until when it waits. */
    record Retrying(String error, Instant notBefore) implements Detail {}

    /** {@code fail}, {@code ceiling}, {@code expire}: why it ended. */
    record Ended(String error) implements Detail {}

    /** {@code release}: why, and whether it counts towards the recovery ceiling. */
    record Released(String reason, boolean crash) implements Detail {}

    Detail NONE = new None();
  }
}
