package dev.millrace.core.store;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.task.OutputChunk;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The way out: any process may read, at any time. */
public interface JobReader {

  /** Where the job is; empty if it is nowhere. */
  Optional<JobState> state(JobId id);

  Optional<JobView> find(JobId id);

  /** Tasks of a stage, from number {@code from} on; results and errors included. */
  List<TaskView> tasks(JobId id, int stage, int from, int limit);

  /** One task; empty if there is no such job, stage or task. */
  Optional<TaskView> task(JobId id, int stage, int task);

  /**
   * What a task has journaled from position {@code from} on; 0 is the beginning. Empty once it has
   * a result.
   */
  OutputSoFar outputSoFar(JobId id, int stage, int task, long from);

  /** Where a waiting job stands in line; empty if it does not wait. */
  Optional<QueuePosition> queuePosition(JobId id);

  /** Entries of the job's log after number {@code after}. */
  List<LogEntry> events(JobId id, long after, int limit);

  /** What was asked, with the stages and tasks that were added since, to run it again. */
  Optional<JobSpec> spec(JobId id);

  /** Ids in order of time. */
  List<JobId> list(Query query);

  /** How many jobs are in each state; malformed ones are not counted. */
  Map<JobState, Integer> counts();

  /**
   * What waits and what runs, for a dashboard: as of a few seconds ago, or, where it takes long to
   * find out, of some multiple of that time ago. Who does not own the store counts in the lines only
   * what can be read within a second.
   */
  QueueStats queueStats();

  /** Waits until the job may have changed, or {@code atMost} has passed. May return early. */
  void awaitChange(JobId id, Duration atMost) throws InterruptedException;

  /**
   * Output so far.
   *
   * @param from where it begins: as asked, or 0 where what was asked for is gone and it began anew
   * @param next where to go on reading
   */
  record OutputSoFar(long from, long next, List<OutputChunk> pieces) {
    public String text() {
      return pieces.stream().map(OutputChunk::text).collect(Collectors.joining());
    }
  }

  /**
   * A place in line.
   *
   * @param ahead jobs that come first
   * @param waiting all that wait, this one included
   * @param eta until it begins, by the speed of late; null where none was measured or nobody works
   */
  record QueuePosition(int ahead, int waiting, @Nullable Duration eta) {}

  /**
   * Which jobs.
   *
   * @param newest whether {@code limit} keeps the newest instead of the oldest
   * @param beyond where the page before ended: only jobs after it, or with {@code newest} before it
   */
  record Query(
      Set<JobState> states,
      @Nullable String tag,
      @Nullable JobId parent,
      boolean newest,
      int limit,
      @Nullable JobId beyond) {
    public Query(
        Set<JobState> states,
        @Nullable String tag,
        @Nullable JobId parent,
        boolean newest,
        int limit) {
      this(states, tag, parent, newest, limit, null);
    }

    public static Query all() {
      return new Query(Set.of(JobState.values()), null, null, false, Integer.MAX_VALUE);
    }

    public static Query in(Set<JobState> states) {
      return new Query(states, null, null, false, Integer.MAX_VALUE);
    }

    public Query newest(int most) {
      return new Query(states, tag, parent, true, most, beyond);
    }

    public Query oldest(int most) {
      return new Query(states, tag, parent, false, most, beyond);
    }

    public Query beyond(@Nullable JobId id) {
      return new Query(states, tag, parent, newest, limit, id);
    }
  }
}
