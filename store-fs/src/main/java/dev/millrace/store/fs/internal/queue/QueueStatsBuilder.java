package dev.millrace.store.fs.internal.queue;

import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.stats.QueueStats;
import dev.millrace.core.store.stats.QueueStats.TypeStats;
import dev.millrace.core.task.TaskState;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts waiting and running tasks to build {@link QueueStats}. Not thread-safe. */
public final class QueueStatsBuilder {
  private record Key(String type, Priority priority) implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparing(Key::type).thenComparing(Key::priority);

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }

  private final Map<Key, TypeStats> lines = new TreeMap<>();

  /**
   * Adds a job: waiting tasks of its open stage, running tasks of any stage (a held stage may still
   * run).
   */
  public void add(JobView job) {
    for (StageView stage : job.stages()) {
      boolean open = job.state().isOpen() && stage.state().isOpen();
      int pending = open ? count(stage, TaskState.PENDING) : 0;
      int retried = open ? count(stage, TaskState.RETRIED) : 0;
      add(
          stage.type(),
          job.header().priority(),
          pending,
          retried,
          count(stage, TaskState.IN_PROGRESS),
          pending + retried == 0 ? null : job.createdAt());
    }
  }

  private static int count(StageView stage, TaskState state) {
    return stage.tasks().getOrDefault(state, 0);
  }

  /** Adds a job that is not in memory; its retried tasks count as pending. */
  public void add(ClaimQueue.Candidate job) {
    add(job.type(), job.priority(), job.tasks(), 0, 0, job.created());
  }

  private void add(
      String type,
      Priority priority,
      long pending,
      long retried,
      long running,
      @Nullable Instant created) {
    if (pending + retried + running > 0) {
      lines.merge(
          new Key(type, priority),
          new TypeStats(
              type, priority, created == null ? 0 : 1, pending, retried, running, created),
          QueueStatsBuilder::sum);
    }
  }

  private static TypeStats sum(TypeStats a, TypeStats b) {
    return new TypeStats(
        a.type(),
        a.priority(),
        a.waiting() + b.waiting(),
        a.pending() + b.pending(),
        a.retried() + b.retried(),
        a.running() + b.running(),
        earlier(a.oldest(), b.oldest()));
  }

  private static @Nullable Instant earlier(@Nullable Instant a, @Nullable Instant b) {
    return a == null || b != null && b.isBefore(a) ? b : a;
  }

  public QueueStats build(Map<JobState, Integer> jobs) {
    return new QueueStats(jobs, List.copyOf(lines.values()));
  }
}
