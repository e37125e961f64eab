package dev.millrace.core.store.random;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.store.RepositoryJobStore;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.stats.StatusCounts;
import dev.millrace.core.store.stats.StatusCounts.QueueGroup;
import dev.millrace.core.store.stats.StatusCounts.StageGroup;
import dev.millrace.core.store.stats.StatusCounts.TaskGroup;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Compares the counts that a store keeps with what a scan of all its jobs finds. */
public final class StatusCountsCheck {
  private static final Duration MAX_WAIT = Duration.ofSeconds(30);

  private final Map<JobState, Long> jobs = new HashMap<>();
  private final Map<StageGroup, Long> stages = new HashMap<>();
  private final Map<TaskGroup, Long> tasks = new HashMap<>();
  private final Map<TaskGroup, Long> queue = new HashMap<>();
  private final Map<QueueGroup, Instant> oldest = new HashMap<>();
  private long atGate;

  private StatusCountsCheck() {}

  /**
   * Waits for the background pass first. One store of several on the same jobs counts what it
   * learns of, so it is not compared.
   */
  public static void requireCounted(JobStore store) {
    if (!(store instanceof RepositoryJobStore<?>)) {
      return;
    }
    long end = System.nanoTime() + MAX_WAIT.toNanos();
    while (!store.statusCounts().complete()) {
      assertThat(System.nanoTime()).as("the pass ends").isLessThan(end);
      LockSupport.parkNanos(100_000);
    }
    requireSame(store.statusCounts(), scan(store));
  }

  /** Counts all jobs of a store, one after the other. */
  public static StatusCounts scan(JobStore store) {
    StatusCountsCheck scan = new StatusCountsCheck();
    for (JobId id : store.list(JobReader.Query.all())) {
      scan.add(store.find(id).orElseThrow());
    }
    return new StatusCounts(
        true, scan.jobs, scan.stages, scan.tasks, scan.queue, scan.oldest, scan.atGate, 0);
  }

  public static void requireSame(StatusCounts kept, StatusCounts scanned) {
    assertThat(kept.jobs()).as("jobs").isEqualTo(scanned.jobs());
    assertThat(kept.stages()).as("stages").isEqualTo(scanned.stages());
    assertThat(kept.tasks()).as("tasks").isEqualTo(scanned.tasks());
    assertThat(kept.queue()).as("queue").isEqualTo(scanned.queue());
    assertThat(kept.oldest()).as("oldest").isEqualTo(scanned.oldest());
    assertThat(kept.atGate()).as("at a gate").isEqualTo(scanned.atGate());
  }

  private void add(JobView job) {
    jobs.merge(job.state(), 1L, Long::sum);
    atGate += job.stageAtGate().isPresent() ? 1 : 0;
    for (StageView stage : job.stages()) {
      if (!job.state().isFinal() || stage.state().isFinal()) {
        stages.merge(new StageGroup(stage.state(), stage.type()), 1L, Long::sum);
      }
      stage.tasks().forEach((state, count) -> add(job, stage, state, count));
    }
  }

  private void add(JobView job, StageView stage, TaskState state, long count) {
    TaskGroup group = new TaskGroup(state, stage.type(), job.header().priority());
    if (job.state().isFinal() && !state.isFinal()) {
      return;
    }
    tasks.merge(group, count, Long::sum);
    boolean waits = state == TaskState.PENDING || state == TaskState.RETRIED;
    boolean open = job.state().isOpen() && stage.state().isOpen();
    if (waits && open) {
      oldest.merge(
          new QueueGroup(stage.type(), job.header().priority()),
          job.createdAt().truncatedTo(ChronoUnit.SECONDS),
          (a, b) -> a.isBefore(b) ? a : b);
    }
    if (state == TaskState.IN_PROGRESS || waits && open) {
      queue.merge(group, count, Long::sum);
    }
  }
}
