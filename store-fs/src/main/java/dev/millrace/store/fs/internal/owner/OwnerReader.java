package dev.millrace.store.fs.internal.owner;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.store.ForwardingReader;
import dev.millrace.core.internal.store.LoadedJobs;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.stats.QueueHead;
import dev.millrace.core.store.stats.QueueHead.QueuedJob;
import dev.millrace.core.store.stats.QueueStats;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import dev.millrace.store.fs.internal.files.JobFiles.TaskSnapshot;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.jobs.FsJob;
import dev.millrace.store.fs.internal.jobs.FsRepository;
import dev.millrace.store.fs.internal.queue.ClaimQueue;
import dev.millrace.store.fs.internal.queue.QueueStatsBuilder;
import dev.millrace.store.fs.internal.read.FsReader;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads jobs for the owner: from memory if they are there, because logs can be long, else from
 * their files. Thread-safe.
 */
final class OwnerReader implements ForwardingReader {
  /**
   * How long queue statistics are valid; at least {@code AGE_FACTOR} times as long as they took to
   * make.
   */
  private static final Duration MIN_STATS_AGE = Duration.ofSeconds(2);

  private static final int AGE_FACTOR = 10;

  /** How often a job may move while a page of it is read, before its files are used. */
  private static final int ATTEMPTS = 10;

  private final FsReader files;
  private final FsRepository repository;
  private final LoadedJobs<FsJob> jobs;
  private final ClaimQueue queue;
  private final Consumer<JobId> discovery;
  private final ReentrantLock counting;
  private @Nullable QueueStats stats; // guarded by that lock, as is the next one
  private Instant statsValidUntil = Instant.MIN; // steady

  /**
   * @param discovery makes sure that a waiting job is in the queue
   */
  OwnerReader(FsRepository repository, LoadedJobs<FsJob> jobs, Consumer<JobId> discovery) {
    this.files = repository.reader();
    this.repository = repository;
    this.jobs = jobs;
    this.queue = repository.index();
    this.discovery = discovery;
    this.counting = repository.threading().newLock();
  }

  @Override
  public JobReader reader() {
    return files;
  }

  /** Reads a job in memory; empty if it is not there, or someone has moved its directory. */
  private <T> Optional<T> inMemory(JobId id, LoadedJobs.JobRead<FsJob, T> read) {
    try {
      return jobs.readIfLoaded(
          id,
          job ->
              job.at().disk().kind(job.at().dir()) == Disk.Kind.DIRECTORY
                  ? read.at(job)
                  : Optional.empty());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw StoreErrors.ofJob("cannot read job " + id, e);
    }
  }

  @Override
  public Optional<JobView> find(JobId id) {
    return inMemory(id, job -> Optional.of(job.view())).or(() -> durable(id, () -> files.find(id)));
  }

  /**
   * Reads the files of a job, and waits until what they say is durable. Entries of a write that
   * fails are taken back, so that they must not be shown.
   */
  private <T> T durable(JobId id, Supplier<T> read) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      long failures = jobs.failures();
      repair(id);
      T answer = read.get();
      jobs.awaitDurable(id);
      if (jobs.failures() == failures) {
        return answer;
      }
    }
    throw new StoreException(
        "job " + id + " cannot be read: writes fail all the time; check the disk");
  }

  private void repair(JobId id) {
    try {
      jobs.repairIfInterrupted(id, repository::repair);
      repository.syncEnded(id);
    } catch (IOException e) {
      throw StoreErrors.ofJob("cannot read job " + id, e);
    }
  }

  /** A page of tasks, taken with the job's lock held, to be read after that. */
  private record Page(JobFiles files, JobDirectory at, List<TaskSnapshot> tasks) {
    static Page of(FsJob job, int stage, int from, int limit) {
      List<TaskSnapshot> tasks = new ArrayList<>();
      if (job.fold().hasStage(stage)) {
        StageFold of = job.fold().stage(stage);
        for (int task = Math.max(1, from); task <= of.size() && tasks.size() < limit; task++) {
          tasks.add(TaskSnapshot.of(of, task));
        }
      }
      return new Page(job.files().forReading(), job.at(), tasks);
    }

    List<TaskView> read() throws IOException {
      List<TaskView> views = new ArrayList<>();
      for (TaskSnapshot task : tasks) {
        views.add(files.view(at, task));
      }
      return views;
    }
  }

  @Override
  public List<TaskView> tasks(JobId id, int stage, int from, int limit) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Optional<Page> page = inMemory(id, job -> Optional.of(Page.of(job, stage, from, limit)));
      if (page.isEmpty()) {
        break;
      }
      try {
        return page.get().read();
      } catch (NoSuchFileException e) {
        // it moved in the meantime
      } catch (IOException e) {
        throw StoreErrors.ofReading("cannot read the tasks of " + id, e);
      }
    }
    return durable(id, () -> files.tasks(id, stage, from, limit));
  }

  @Override
  public Optional<TaskView> task(JobId id, int stage, int task) {
    return task < 1 ? Optional.empty() : tasks(id, stage, task, 1).stream().findFirst();
  }

  @Override
  public Optional<QueuePosition> queuePosition(JobId id) {
    if (files.state(id).orElse(null) != JobState.PENDING) {
      return Optional.empty();
    }
    discovery.accept(id); // its file-system event may not have come yet
    int ahead = queue.countAhead(id);
    return ahead < 0
        ? Optional.empty()
        : Optional.of(
            new QueuePosition(
                ahead,
                Math.max(ahead + 1, queue.size()),
                repository.finishRate().timeFor(ahead + 1, repository.now().steady())));
  }

  @Override
  public QueueHead queueHead(int limit) {
    List<QueuedJob> first = new ArrayList<>();
    Instant now = repository.now().steady();
    for (ClaimQueue.Candidate candidate : queue.first(limit)) {
      first.add(
          new QueuedJob(
              candidate.id(),
              candidate.type(),
              candidate.priority(),
              candidate.created(),
              repository.finishRate().timeFor(first.size() + 1, now)));
    }
    return new QueueHead(first, Math.max(first.size(), queue.size()));
  }

  @Override
  public List<LogEntry> events(JobId id, long after, int limit) {
    return inMemory(id, job -> job.events(after, limit))
        .orElseGet(() -> durable(id, () -> files.events(id, after, limit)));
  }

  @Override
  public QueueStats queueStats() {
    counting.lock();
    try {
      return queueStatsAlone();
    } finally {
      counting.unlock();
    }
  }

  private QueueStats queueStatsAlone() {
    Instant now = repository.now().steady();
    if (stats == null || !now.isBefore(statsValidUntil)) {
      long start = repository.threading().nanoTime();
      QueueStatsBuilder builder = new QueueStatsBuilder();
      for (FsJob job : jobs.all()) {
        inMemory(job.id(), each -> Optional.of(each.view())).ifPresent(builder::add);
      }
      queue.forEach(
          candidate -> {
            if (!jobs.contains(candidate.id())) {
              builder.add(candidate);
            }
          });
      stats = builder.build(files.counts(id -> queue.isKnown(id) || jobs.contains(id)));
      Duration share = Duration.ofNanos(AGE_FACTOR * (repository.threading().nanoTime() - start));
      statsValidUntil = now.plus(share.compareTo(MIN_STATS_AGE) < 0 ? MIN_STATS_AGE : share);
    }
    return stats;
  }
}
