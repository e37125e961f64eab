package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.StageFold;
import dev.millrace.core.store.Census;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Reading;
import dev.millrace.core.store.TaskView;
import dev.millrace.store.fs.JobFiles.At;
import dev.millrace.store.fs.JobFiles.Seen;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the owner knows: of jobs in its memory from there, for their logs can be long; of others
 * from their files, as everyone. Thread-safe.
 */
final class OwnerReader implements Reading {
  /** How long a census is good for, and how many times as long as it took to make. */
  private static final Duration CENSUS = Duration.ofSeconds(2);

  private static final int SHARE = 10;

  /** How often a job may move while a page of it is read, before its files are to tell. */
  private static final int ATTEMPTS = 10;

  /** A time further ahead than this is of a clock that was set back since. */
  private static final Duration LONGEST = Duration.ofMinutes(10);

  private final FsReader files;
  private final Ledger ledger;
  private final ClaimQueue queue;
  private final Consumer<JobId> discovery;
  private @Nullable Census census;
  private Instant censusUntil = Instant.MIN;

  /**
   * @param discovery makes sure that a job which waits is in the queue
   */
  OwnerReader(FsReader files, Ledger ledger, ClaimQueue queue, Consumer<JobId> discovery) {
    this.files = files;
    this.ledger = ledger;
    this.queue = queue;
    this.discovery = discovery;
  }

  @Override
  public Optional<JobState> state(JobId id) {
    return files.state(id);
  }

  @Override
  public Optional<JobView> find(JobId id) {
    return ledger.jobs().look(id, ActiveJob::view).or(() -> durable(id, () -> files.find(id)));
  }

  /** What files tell of a job that has ended may still be on its way to the disk. */
  private <T> T durable(JobId id, Supplier<T> read) {
    T answer = read.get();
    ledger.ended().settle(id);
    return answer;
  }

  /** A page of tasks, as they are while the job is held, to be read when it is not any more. */
  private record Page(JobFiles files, At at, List<Seen> tasks) {
    static Page of(ActiveJob job, int stage, int from, int limit) {
      List<Seen> tasks = new ArrayList<>();
      if (job.fold().hasStage(stage)) {
        StageFold of = job.fold().stage(stage);
        for (int task = Math.max(1, from); task <= of.size() && tasks.size() < limit; task++) {
          tasks.add(Seen.of(of, task));
        }
      }
      return new Page(job.files().reading(), job.at(), tasks);
    }

    List<TaskView> read() throws IOException {
      List<TaskView> views = new ArrayList<>();
      for (Seen task : tasks) {
        views.add(files.view(at, task));
      }
      return views;
    }
  }

  @Override
  public List<TaskView> tasks(JobId id, int stage, int from, int limit) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Optional<Page> page = ledger.jobs().look(id, job -> Page.of(job, stage, from, limit));
      if (page.isEmpty()) {
        break;
      }
      try {
        return page.get().read();
      } catch (NoSuchFileException e) {
        // it moved on meanwhile
      } catch (IOException e) {
        throw Failures.ofReading("cannot read the tasks of " + id, e);
      }
    }
    return durable(id, () -> files.tasks(id, stage, from, limit));
  }

  @Override
  public Optional<TaskView> task(JobId id, int stage, int task) {
    return task < 1 ? Optional.empty() : tasks(id, stage, task, 1).stream().findFirst();
  }

  @Override
  public Draft draft(JobId id, int stage, int task, long from) {
    return files.draft(id, stage, task, from);
  }

  @Override
  public Optional<QueuePlace> queuePlace(JobId id) {
    if (files.state(id).orElse(null) != JobState.PENDING) {
      return Optional.empty();
    }
    discovery.accept(id); // its event may not have come yet
    int ahead = queue.ahead(id);
    return ahead < 0
        ? Optional.empty()
        : Optional.of(
            new QueuePlace(
                ahead, Math.max(ahead + 1, queue.size()), ledger.rate().timeFor(ahead + 1)));
  }

  @Override
  public List<Entry> events(JobId id, long after, int limit) {
    return ledger
        .jobs()
        .look(id, job -> job.events(after, limit))
        .flatMap(entries -> entries)
        .orElseGet(() -> durable(id, () -> files.events(id, after, limit)));
  }

  @Override
  public Optional<JobSpec> spec(JobId id) {
    return files.spec(id);
  }

  @Override
  public List<JobId> list(Query query) {
    return files.list(query);
  }

  @Override
  public Map<JobState, Integer> counts() {
    return files.counts();
  }

  @Override
  public synchronized Census census() {
    Instant now = ledger.now();
    boolean good = now.isBefore(censusUntil) && now.plus(LONGEST).isAfter(censusUntil);
    if (census == null || !good) {
      long start = System.nanoTime();
      CensusSheet sheet = new CensusSheet();
      for (ActiveJob job : ledger.jobs().active()) {
        ledger.jobs().look(job.id(), ActiveJob::view).ifPresent(sheet::add);
      }
      queue.forEach(
          candidate -> {
            if (!ledger.jobs().isActive(candidate.id())) {
              sheet.add(candidate);
            }
          });
      census = sheet.census(files.counts(id -> queue.knows(id) || ledger.jobs().isActive(id)));
      Duration share = Duration.ofNanos(SHARE * (System.nanoTime() - start));
      censusUntil = now.plus(share.compareTo(CENSUS) < 0 ? CENSUS : share);
    }
    return census;
  }

  @Override
  public void awaitChange(JobId id, Duration atMost) throws InterruptedException {
    files.awaitChange(id, atMost);
  }
}
