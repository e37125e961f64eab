package dev.millrace.http.search;

import dev.millrace.api.jobs.FoundJob;
import dev.millrace.api.jobs.JobSearchResult;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.store.JobStore;
import dev.millrace.http.jobnik.entity.LegalLevers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Finds jobs in the index, which the first search starts to fill. Thread-safe. Close it before the
 * store.
 */
public final class JobSearch implements AutoCloseable {
  private final JobIndex index;
  private final IndexUpdater updater;

  public JobSearch(JobStore store) {
    this(store, JobIndex.MAX_JOBS, IndexUpdater.Intervals.of(store));
  }

  JobSearch(JobStore store, int most, IndexUpdater.Intervals intervals) {
    this.index = new JobIndex(most);
    this.updater = new IndexUpdater(store, index, most, intervals);
  }

  /**
   * Which part of what was found is wanted.
   *
   * @param newest whether the newest comes first
   */
  record Part(boolean newest, int offset, int limit) {}

  /** How many jobs match, and those of the part. */
  private record Matches(int total, List<IndexedJob> jobs) {}

  JobSearchResult find(JobFilter filter, Part part) {
    updater.searched();
    Matches found = matches(filter, part);
    return new JobSearchResult(
        found.total,
        part.offset,
        isComplete(),
        index.size(),
        updater.known(),
        found.jobs.stream().map(JobSearch::row).toList());
  }

  JobSearchResult.Ids ids(JobFilter filter, Part part) {
    updater.searched();
    Matches found = matches(filter, part);
    List<UUID> ids = found.jobs.stream().map(job -> EntityId.of(job.id()).uuid()).toList();
    return new JobSearchResult.Ids(found.total, isComplete(), ids);
  }

  private boolean isComplete() {
    return updater.isFilled() && index.leftOut() == 0;
  }

  private Matches matches(JobFilter filter, Part part) {
    JobIndex.Slot[] all = index.oldestFirst();
    List<IndexedJob> jobs = new ArrayList<>();
    int total = 0;
    for (int i = 0; i < all.length; i++) {
      IndexedJob job = all[part.newest ? all.length - 1 - i : i].job();
      if (filter.accepts(job)) {
        if (total >= part.offset && jobs.size() < part.limit) {
          jobs.add(job);
        }
        total++;
      }
    }
    return new Matches(total, jobs);
  }

  private static FoundJob row(IndexedJob job) {
    IndexedJob.Labels labels = job.labels();
    IndexedJob.Tasks tasks = job.tasks();
    return new FoundJob(
        EntityId.of(job.id()).uuid(),
        job.id(),
        job.name(),
        job.excerpt(),
        job.state(),
        job.priority(),
        labels.types(),
        labels.models(),
        labels.tags(),
        labels.submittedBy(),
        new FoundJob.Times(
            Instant.ofEpochMilli(job.created()), time(job.started()), time(job.ended())),
        job.stages(),
        new FoundJob.Tasks(tasks.total(), tasks.completed(), tasks.failed(), tasks.running()),
        job.gate() == 0 ? null : (Integer) job.gate(),
        job.error(),
        LegalLevers.ofJob(job.state()));
  }

  private static @Nullable Instant time(long millis) {
    return millis == IndexedJob.NEVER ? null : Instant.ofEpochMilli(millis);
  }

  @Override
  public void close() {
    updater.close();
  }
}
