package dev.millrace.core.store;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.stats.QueueHead;
import dev.millrace.core.store.stats.QueueStats;
import dev.millrace.core.task.OutputChunk;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads jobs. Any process may read, at any time. */
public interface JobReader {

  /** The job's state; empty if there is no such job. */
  Optional<JobState> state(JobId id);

  Optional<JobView> find(JobId id);

  /** Tasks of a stage from number {@code from} on, with results and errors. */
  List<TaskView> tasks(JobId id, int stage, int from, int limit);

  /** One task; empty if there is no such job, stage or task. */
  Optional<TaskView> task(JobId id, int stage, int task);

  /**
   * What a task has journaled from position {@code from} on; 0 is the start. Empty once it has a
   * result.
   */
  OutputSoFar outputSoFar(JobId id, int stage, int task, long from);

  /**
   * The text of a task without a result: what its last worker reported when it failed or was
   * stopped, else what was journaled.
   */
  default Optional<String> partialOutput(JobId id, int stage, int task) {
    StringBuilder text = new StringBuilder();
    for (OutputSoFar part = outputSoFar(id, stage, task, 0);
        !part.pieces().isEmpty();
        part = outputSoFar(id, stage, task, part.next())) {
      if (part.from() == 0) {
        text.setLength(0); // the output restarted
      }
      text.append(part.text());
    }
    return text.isEmpty() ? Optional.empty() : Optional.of(text.toString());
  }

  /** A waiting job's position in the queue; empty if it does not wait. */
  Optional<QueuePosition> queuePosition(JobId id);

  /**
   * The first {@code limit} jobs of the queue, without reading any job; {@link QueueHead#UNKNOWN} in
   * a process that does not know the claim order.
   */
  default QueueHead queueHead(int limit) {
    return QueueHead.UNKNOWN;
  }

  /**
   * Entries of the job's log after number {@code after}. Where entries are large, there may be fewer
   * than {@code limit}; there are none only at the end of the log.
   */
  List<LogEntry> events(JobId id, long after, int limit);

  /** The job as submitted, with the stages and tasks added since, so that it can be run again. */
  Optional<JobSpec> spec(JobId id);

  /** Ids, sorted by time. */
  List<JobId> list(Query query);

  /** How many jobs are in each state. Malformed jobs are not counted. */
  Map<JobState, Integer> counts();

  /**
   * Waiting and running tasks, for a dashboard. The numbers are a few seconds old, or older where
   * counting takes long. A process that does not own the store counts only what it can read within
   * a second.
   */
  QueueStats queueStats();

  /** Waits until the job may have changed, or {@code atMost} has passed. May return early. */
  void awaitChange(JobId id, Duration atMost) throws InterruptedException;

  /**
   * The output so far.
   *
   * @param from where it starts: as asked, or 0 if that position is gone because the output
   *     restarted
   * @param next the position to read from next
   */
  record OutputSoFar(long from, long next, List<OutputChunk> pieces) {
    public String text() {
      return pieces.stream().map(OutputChunk::text).collect(Collectors.joining());
    }
  }

  /**
   * A position in the queue.
   *
   * @param ahead jobs that come before
   * @param waiting all jobs that wait, including this one
   * @param eta the time until it starts, at the recent speed; null if no speed was measured or no
   *     worker is active
   */
  record QueuePosition(int ahead, int waiting, @Nullable Duration eta) {}

  /**
   * Selects jobs.
   *
   * @param newest whether {@code limit} keeps the newest instead of the oldest
   * @param beyond where the previous page ended: only jobs after it, or with {@code newest} before
   *     it
   * @param idPart only jobs whose id contains this text; null: all
   * @param atGate only jobs that wait for an approval, see {@link JobView#stageAtGate}
   * @param until only jobs whose id has this time or an earlier one; null: all
   */
  record Query(
      Set<JobState> states,
      @Nullable String tag,
      @Nullable JobId parent,
      boolean newest,
      int limit,
      @Nullable JobId beyond,
      @Nullable String idPart,
      boolean atGate,
      @Nullable Instant until) {
    private static final Set<JobState> OPEN = Set.of(JobState.PENDING, JobState.IN_PROGRESS);

    public Query(
        Set<JobState> states,
        @Nullable String tag,
        @Nullable JobId parent,
        boolean newest,
        int limit) {
      this(states, tag, parent, newest, limit, null, null, false, null);
    }

    public static Query all() {
      return new Query(Set.of(JobState.values()), null, null, false, Integer.MAX_VALUE);
    }

    public static Query in(Set<JobState> states) {
      return new Query(states, null, null, false, Integer.MAX_VALUE);
    }

    /** The jobs that wait for a user's approval: neither paused nor ended ones do. */
    public static Query waitingForApproval() {
      return in(OPEN).onlyAtGate();
    }

    public Query tagged(@Nullable String newTag) {
      return new Query(states, newTag, parent, newest, limit, beyond, idPart, atGate, until);
    }

    public Query newest(int most) {
      return new Query(states, tag, parent, true, most, beyond, idPart, atGate, until);
    }

    public Query oldest(int most) {
      return new Query(states, tag, parent, false, most, beyond, idPart, atGate, until);
    }

    public Query beyond(@Nullable JobId id) {
      return new Query(states, tag, parent, newest, limit, id, idPart, atGate, until);
    }

    public Query idContaining(@Nullable String part) {
      return new Query(states, tag, parent, newest, limit, beyond, part, atGate, until);
    }

    public Query onlyAtGate() {
      return new Query(states, tag, parent, newest, limit, beyond, idPart, true, until);
    }

    public Query until(@Nullable Instant time) {
      return new Query(states, tag, parent, newest, limit, beyond, idPart, atGate, time);
    }

    /** Whether an id has the part and the time that are asked for. */
    public boolean acceptsId(JobId id) {
      return (idPart == null || id.value().contains(idPart))
          && (until == null || id.micros() <= ChronoUnit.MICROS.between(Instant.EPOCH, until));
    }
  }
}
