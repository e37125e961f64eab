package dev.millrace.core.event;

import dev.millrace.core.job.Adoption;
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
   * The first fact of every job: it was submitted. It implies what follows from the plan alone: the
   * job is enqueued (or held), the first stage open (or at its gate), the given tasks enqueued.
   *
   * @param version of the log: what later facts imply depends on it
   */
  record Submitted(int version) implements Fact {
    public Submitted() {
      this(LogEntryJson.VERSION);
    }
  }

  record JobChanged(JobEvent event, Cause cause) implements Fact {}

  /**
   * @param opening the result of rendering the stage's templates; only when a stage with templates
   *     opens
   */
  record StageChanged(int stage, StageEvent event, Cause cause, @Nullable Opening opening)
      implements Fact {}

  record TaskChanged(int stage, int task, TaskEvent event, Detail detail) implements Fact {}

  /** A task made progress: earlier recoveries no longer count. */
  record TaskProgressed(int stage, int task) implements Fact {}

  /**
   * The terms that a task's first attempt fixed (model, parameters, seed). Later attempts follow
   * them, and a second such fact replaces the first. Only the worker knows what they mean.
   */
  record TermsFrozen(int stage, int task, JsonObject terms) implements Fact {}

  /**
   * An open job got another stage.
   *
   * @param spec the stage as submitted, without tasks
   */
  record StageAdded(int stage, StageSpec spec, Cause cause) implements Fact {}

  /**
   * A stage of an open job got more tasks. With 0 tasks: an empty stage stays empty.
   *
   * @param maxAttempts of each task; 0: the stage's limit
   */
  record TasksAdded(int stage, int tasks, int maxAttempts, Cause cause) implements Fact {}

  /**
   * A user replaced the metadata of a job, a stage or a task; {@code stage} and {@code task} are 0
   * where it is not about one.
   */
  record MetadataReplaced(int stage, int task, JsonObject metadata, Cause cause) implements Fact {}

  record Prioritized(Priority priority, Cause cause) implements Fact {}

  /** A line of a worker's log; {@code stage} and {@code task} are 0 where it is about the job. */
  record WorkerLogLine(int stage, int task, String level, String text) implements Fact {}

  /** How many tasks the templates of an opening stage made, or why they could not be resolved. */
  record Opening(int tasks, @Nullable String error) {}

  /** The details of a task's event. */
  sealed interface Detail {
    /** No details. */
    record None() implements Detail {}

    /**
     * {@code claim}: the worker, and the owner's epoch. The entry's number completes the token.
     *
     * @param lease how long it lives without a heartbeat, also when the owner changes; null: as
     *     long as the owner lives
     * @param tokenless whether its worker answers without the token
     */
    record Claimed(long epoch, String worker, @Nullable Duration lease, boolean tokenless)
        implements Detail {
      public Claimed(long epoch, String worker) {
        this(epoch, worker, null, false);
      }
    }

    /** {@code complete}: where the result is stored; {@code length} is 0 if it has its own file. */
    record Completed(long offset, int length) implements Detail {}

    /** {@code adopt}: whose result it is, and where its copy is stored, as for {@code complete}. */
    record Adopted(Adoption from, long offset, int length) implements Detail {}

    /** {@code retry}: the error, and the end of the backoff. */
    record Retrying(String error, Instant notBefore) implements Detail {}

    /** {@code fail}, {@code ceiling}, {@code expire}: why it ended. */
    record Ended(String error) implements Detail {}

    /** {@code release}: why, and whether it counts towards the recovery ceiling. */
    record Released(String reason, boolean crash) implements Detail {}

    Detail NONE = new None();
  }
}
