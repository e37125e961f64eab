package dev.millrace.core.store.memory;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.lease.Leases;
import dev.millrace.core.internal.rules.AdoptionRules;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.store.ConcurrentUpdateException;
import dev.millrace.core.internal.store.JobRepository;
import dev.millrace.core.internal.store.PartialOutput;
import dev.millrace.core.internal.store.TaskJournal;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.time.Moment;
import dev.millrace.core.time.ProcessTimeline;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The port as a program: everything in memory, durable at once. */
final class MemoryRepository implements JobRepository<MemoryStoredJob> {
  private final MemoryContents contents;
  private final ProcessTimeline timeline;
  private final MemoryClaimIndex index;
  private final MemoryReader reader;
  private final MemoryNotes notes;
  private final long epoch;

  MemoryRepository(ContractSettings settings, MemoryContents contents, long epoch) {
    this.contents = contents;
    this.timeline = new ProcessTimeline(settings.clock());
    this.index = new MemoryClaimIndex(contents, () -> now().steady());
    this.reader = new MemoryReader(contents);
    this.notes = new MemoryNotes(contents);
    this.epoch = epoch;
  }

  @Override
  public Moment now() {
    return timeline.now();
  }

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public boolean isOver(long other) {
    return contents.isOver(other);
  }

  @Override
  public void requireIntact() {}

  /** Keeps a new job; false if there is one with this id. */
  boolean insert(JobId id, JobSpec spec) {
    return insert(id, spec, _ -> List.of());
  }

  /**
   * As {@link #insert(JobId, JobSpec)}.
   *
   * @param more what its log has from the start, after its submission
   */
  private boolean insert(JobId id, JobSpec spec, Function<MemoryJob, List<LogEntry>> more) {
    synchronized (contents) {
      if (contents.jobs.containsKey(id)) {
        return false;
      }
      if (!spec.webhooks().isEmpty()) {
        notes.writeNote(NoteStore.WEBHOOKS, id.value(), "{\"after\":0}");
      }
      MemoryJob job = new MemoryJob(id, spec, now().wall());
      job.log.add(new LogEntry(1, job.createdAt, new Fact.Submitted()));
      job.log.addAll(more.apply(job));
      contents.jobs.put(id, job);
      index.appended();
      return true;
    }
  }

  /** Submits an ended job again; {@code ids} is asked for one only if it is accepted. */
  RetryResult retry(RetryRequest request, Supplier<JobId> ids) {
    synchronized (contents) {
      MemoryJob ended = contents.jobs.get(request.job());
      JobState state = ended == null ? null : ended.fold().state();
      Outcome allowed = AdoptionRules.allowsRetry(request.job(), state);
      if (!allowed.isDone()) {
        return RetryResult.rejected(allowed);
      }
      JobSpec spec = AdoptionRules.again(request, ended.id, ended.spec());
      JobId id = request.id() == null ? ids.get() : request.id();
      boolean adopts = !request.fromStart() && AdoptionRules.adopts(state, ended.fold());
      boolean fresh =
          insert(id, spec, job -> new MemoryAdoption(ended, job).entries(request, adopts));
      JobView view = reader.find(id).orElseThrow();
      return fresh ? RetryResult.created(view) : RetryResult.existing(view);
    }
  }

  @Override
  public @Nullable MemoryStoredJob load(JobId id) {
    synchronized (contents) {
      MemoryJob job = contents.jobs.get(id);
      if (contents.damaged.contains(id)) {
        throw new ArithmeticException("damaged");
      }
      if (job == null) {
        return null;
      }
      MemoryStoredJob loaded = new MemoryStoredJob(job, timeline.of(job.id.toString()));
      index.addBackoffs(loaded.fold());
      return loaded;
    }
  }

  @Override
  public String version(JobId id) {
    synchronized (contents) {
      MemoryJob job = contents.jobs.get(id);
      return job == null ? "" : job.log.size() + " " + contents.damaged.contains(id);
    }
  }

  @Override
  public boolean isCurrent(MemoryStoredJob job) {
    synchronized (contents) {
      return contents.jobs.get(job.id()) == job.kept
          && job.kept.log.size() == job.fold().lastNumber();
    }
  }

  @Override
  public long append(MemoryStoredJob job, JobUpdate update) {
    synchronized (contents) {
      List<LogEntry> entries = update.entries();
      if (!entries.isEmpty()) {
        if (contents.jobs.get(job.id()) != job.kept
            || entries.getFirst().number() != job.kept.log.size() + 1) {
          throw new ConcurrentUpdateException("job " + job.id() + " was changed");
        }
        job.added.forEach(job.kept::add);
        job.added.clear();
        job.kept.log.addAll(entries);
        index.addBackoffs(job.fold());
        index.appended();
      }
      return 0;
    }
  }

  @Override
  public void awaitDurable(long commit) {}

  @Override
  public long lastDurable() {
    return 0;
  }

  @Override
  public @Nullable StoreException failed(MemoryStoredJob job, @Nullable IOException cause) {
    return cause == null ? null : new StoreException(String.valueOf(cause.getMessage()), cause);
  }

  @Override
  public String explain(IOException cause) {
    return String.valueOf(cause.getMessage());
  }

  @Override
  public boolean isOfOneJob(StoreException problem) {
    return false;
  }

  @Override
  public void letGo(MemoryStoredJob job) {}

  @Override
  public TaskSpec task(MemoryStoredJob job, StageFold stage, int task) {
    synchronized (contents) {
      return job.kept.task(stage.number(), task);
    }
  }

  @Override
  public Outcome keepTasks(
      MemoryStoredJob job, int stage, String type, int known, List<TaskSpec> tasks) {
    job.added.put(stage, tasks);
    return Outcome.DONE;
  }

  @Override
  public KeptResult keepResult(MemoryStoredJob job, Claim claim, TaskResult result) {
    synchronized (contents) {
      job.kept.keep(claim.key(), result);
      return new KeptResult(new Fact.Detail.Completed(0, 0), 0);
    }
  }

  /** No reader sees partial output. */
  @Override
  public void keepPartial(MemoryStoredJob job, Claim claim, PartialOutput partial) {}

  @Override
  public void appendJournal(MemoryStoredJob job, ClaimKey claim, OutputChunk chunk) {
    synchronized (contents) {
      job.kept.journal(
          claim, job.fold().stage(claim.stage()).task(claim.task()).journalKey(), chunk);
      contents.notifyAll();
    }
  }

  @Override
  public TaskJournal readJournal(MemoryStoredJob job, StageFold stage, int task) {
    synchronized (contents) {
      return job.kept.journal(stage, task);
    }
  }

  @Override
  public JsonObject frozenTerms(MemoryStoredJob job, long entry) {
    synchronized (contents) {
      return ((Fact.TermsFrozen) job.kept.log.get((int) entry - 1).fact()).terms();
    }
  }

  @Override
  public Collection<JobId> endedBefore(Instant before, Set<JobState> states) {
    synchronized (contents) {
      return contents.jobs.values().stream()
          .filter(job -> states.contains(job.fold().state()))
          .filter(job -> job.fold().state().isFinal())
          .filter(job -> job.fold().completedAt().isBefore(before))
          .map(job -> job.id)
          .toList();
    }
  }

  @Override
  public void remove(Collection<JobId> ids, Consumer<JobId> removed) {
    List<JobId> gone;
    synchronized (contents) {
      gone = ids.stream().filter(id -> contents.jobs.remove(id) != null).toList();
      contents.notifyAll();
    }
    gone.forEach(removed);
  }

  @Override
  public MemoryClaimIndex index() {
    return index;
  }

  @Override
  public Leases leases() {
    return contents.leases;
  }

  @Override
  public JobReader reader() {
    return reader;
  }

  @Override
  public NoteStore notes() {
    return notes;
  }
}
