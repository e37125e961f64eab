package dev.millrace.core.store.memory;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.store.ClaimIndex;
import dev.millrace.core.internal.store.StoredJob;
import dev.millrace.core.job.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
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
  private final Supplier<Instant> clock;

  /** Counts changes that may have made a task claimable. */
  private long work = 1;

  /** When backoffs end: only time makes their tasks claimable. */
  private final NavigableSet<Instant> backoffs = new TreeSet<>();

  MemoryClaimIndex(MemoryContents contents, Supplier<Instant> clock) {
    this.contents = contents;
    this.clock = clock;
    for (MemoryJob job : contents.jobs.values()) {
      for (StageFold stage : job.fold().stages()) {
        for (int task = 1; task <= stage.size(); task++) {
          if (stage.task(task).notBefore() != null) {
            backoffs.add(stage.task(task).notBefore());
          }
        }
      }
    }
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

  void appended(List<LogEntry> entries) {
    for (LogEntry entry : entries) {
      if (entry.fact()
          instanceof
          Fact.TaskChanged(int _, int _, var _, Detail.Retrying(String _, Instant notBefore))) {
        backoffs.add(notBefore);
      }
    }
    work++;
    contents.notifyAll();
  }

  @Override
  public long awaitWork(long seen, Duration atMost) throws InterruptedException {
    long nanos = Math.min(atMost.toSeconds(), 1_000_000) * 1_000_000_000L + atMost.getNano();
    long end = System.nanoTime() + nanos;
    synchronized (contents) {
      while (true) {
        if (!backoffs.isEmpty() && !clock.get().isBefore(backoffs.first())) {
          backoffs.headSet(clock.get(), true).clear();
          work++;
        }
        long left = end - System.nanoTime();
        if (work != seen || left <= 0) {
          return work;
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(left) + 1;
        contents.wait(backoffs.isEmpty() ? millis : Math.min(millis, LOOK_MILLIS));
      }
    }
  }

  @Override
  public boolean isIdle(Set<String> types) {
    return next(types, null) == null;
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
      work++;
      contents.notifyAll();
    }
  }

  @Override
  public void keepOverdue(JobId id, Instant now) {}
}
