package dev.millrace.core.store.memory;

import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.store.ClaimIndex;
import dev.millrace.core.internal.store.StoredJob;
import dev.millrace.core.job.JobId;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.time.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Searches all jobs for something to claim. */
final class MemoryClaimIndex implements ClaimIndex {
  /** How often a waiting worker checks the clock, which may be a test's. */
  private static final long LOOK_MILLIS = 10;

  private record Found(MemoryJob job) implements Candidate {
    @Override
    public JobId id() {
      return job.id;
    }
  }

  private final MemoryContents contents;
  private final Supplier<Instant> clock; // steady

  MemoryClaimIndex(MemoryContents contents, Supplier<Instant> clock) {
    this.contents = contents;
    this.clock = clock;
  }

  @Override
  public @Nullable Candidate next(Set<String> types, @Nullable Candidate after) {
    synchronized (contents) {
      return contents.inClaimOrder().stream()
          .filter(job -> MemoryReader.hasSomethingToClaim(job.fold(), types::contains))
          .filter(
              job ->
                  after == null
                      || MemoryContents.claimOrder().compare(job, ((Found) after).job()) > 0)
          .findFirst()
          .map(Found::new)
          .orElse(null);
    }
  }

  @Override
  public void drop(Candidate candidate) {}

  @Override
  public void put(StoredJob job) {}

  void addBackoffs(JobFold fold) {
    for (StageFold stage : fold.stages()) {
      for (int task = 1; task <= stage.size(); task++) {
        Moment end = stage.task(task).notBefore();
        if (end != null && clock.get().isBefore(end.steady())) {
          contents.backoffs.add(end.steady());
        }
      }
    }
  }

  void appended() {
    contents.work++;
    contents.notifyAll();
  }

  @Override
  public long awaitWork(long seen, Duration atMost) throws InterruptedException {
    long nanos = Math.min(atMost.toSeconds(), 1_000_000) * 1_000_000_000L + atMost.getNano();
    long end = System.nanoTime() + nanos;
    synchronized (contents) {
      while (true) {
        if (!contents.backoffs.isEmpty() && !clock.get().isBefore(contents.backoffs.first())) {
          contents.backoffs.headSet(clock.get(), true).clear();
          contents.work++;
        }
        long left = end - System.nanoTime();
        if (contents.work != seen || left <= 0) {
          return contents.work;
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(left) + 1;
        contents.wait(contents.backoffs.isEmpty() ? millis : Math.min(millis, LOOK_MILLIS));
      }
    }
  }

  @Override
  public boolean isIdle(Set<String> types) {
    synchronized (contents) {
      return next(types, null) == null
          && contents.jobs.values().stream()
              .flatMap(job -> job.fold().stages().stream())
              .noneMatch(
                  stage ->
                      types.contains(stage.plan().type())
                          && stage.count(TaskState.IN_PROGRESS) > 0);
    }
  }

  /** All that have not ended: looking costs nothing here. */
  @Override
  public List<JobId> takeOverdue(Instant now) {
    synchronized (contents) {
      return contents.jobs.values().stream()
          .filter(job -> !job.fold().state().isFinal())
          .map(job -> job.id)
          .toList();
    }
  }

  /** Wakes everyone who waits. */
  void close() {
    synchronized (contents) {
      contents.work++;
      contents.notifyAll();
    }
  }

  @Override
  public void keepOverdue(JobId id, Instant now) {}
}
