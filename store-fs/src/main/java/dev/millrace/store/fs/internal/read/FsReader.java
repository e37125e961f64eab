package dev.millrace.store.fs.internal.read;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TransitionListener;
import dev.millrace.core.internal.rules.ViewFactory;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.stats.QueueStats;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.time.LogTimes;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.DuplicateJobException;
import dev.millrace.store.fs.internal.disk.JobLocator;
import dev.millrace.store.fs.internal.disk.ReadingMarks;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.EventLogIndex;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import dev.millrace.store.fs.internal.files.JobFiles.TaskSnapshot;
import dev.millrace.store.fs.internal.files.JobOnDisk;
import dev.millrace.store.fs.internal.files.RecentJobCache;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.files.TokenJournal;
import dev.millrace.store.fs.internal.queue.QueueStatsBuilder;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Reads a workspace without owning it, while jobs may move. Thread-safe. */
public final class FsReader implements JobReader {
  private static final int ATTEMPTS = 1_000;

  /** How often a log is read again of which a part seems to have gone. */
  private static final int CHANGES = 3;

  private static final Duration POLL = Duration.ofMillis(10);
  private static final Duration CENSUS = Duration.ofSeconds(1);

  private final Disk disk;
  private final WorkspaceLayout layout;
  private final Threading threading;
  private final JobLocator whereabouts;
  private final JobLister catalogue;
  private final JobVersionStamps stamps;
  private final ReadingMarks marks;

  /** Jobs as they were read: a follower of a job asks for it repeatedly. */
  private final RecentJobCache<JobOnDisk> seen = new RecentJobCache<>();

  /** Jobs with completed logs. */
  private final RecentJobCache<Completed> completed = new RecentJobCache<>();

  private record Completed(String stamp, JobOnDisk job) {}

  /** For a process that does not own the workspace. */
  public FsReader(Disk disk, WorkspaceLayout layout, Threading threading) {
    this(
        disk,
        layout,
        threading,
        ReadingMarks.ofOthers(disk, layout),
        JobLocator.ofOthers(disk, layout, threading));
  }

  /**
   * @param marks say which jobs have ended the processes that read them
   */
  public FsReader(
      Disk disk,
      WorkspaceLayout layout,
      Threading threading,
      ReadingMarks marks,
      JobLocator locator) {
    this.disk = disk;
    this.layout = layout;
    this.threading = threading;
    this.whereabouts = locator;
    this.catalogue = new JobLister(disk, layout, whereabouts, this::isAtGate);
    this.stamps = new JobVersionStamps(disk, layout);
    this.marks = marks;
  }

  @Override
  public Optional<JobState> state(JobId id) {
    return ofJob("look for " + id, () -> find(id, whereabouts.find(id)));
  }

  /** Whether a directory among the ready jobs is not a job. */
  private Optional<JobState> find(JobId id, Optional<JobState> directoryState) throws IOException {
    boolean foreign =
        directoryState.isPresent()
            && directoryState.get() == JobState.PENDING
            && disk.kind(layout.of(JobState.PENDING, id)) == Disk.Kind.DIRECTORY
            && !JobFiles.looksLikeJob(disk, layout.of(JobState.PENDING, id));
    if (foreign && disk.kind(layout.of(JobState.PENDING, id)) == Disk.Kind.DIRECTORY) {
      return Optional.empty();
    }
    return directoryState;
  }

  /** The job as it is now; empty if it is missing. */
  public Optional<JobOnDisk> snapshot(JobId id) {
    return ofJob(
        "read job " + id,
        () -> {
          for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Optional<JobState> directoryState = whereabouts.find(id);
            if (directoryState.isEmpty()) {
              return Optional.empty();
            }
            try {
              requireOneDirectory(id, directoryState.get());
              return Optional.of(
                  marks.ofJob(
                      id,
                      layout.of(directoryState.get(), id),
                      () -> read(id, directoryState.get())));
            } catch (NoSuchFileException e) {
              if (disk.kind(layout.of(directoryState.get(), id)) == Disk.Kind.DIRECTORY) {
                throw e;
              }
              // it moved between finding and reading it
            }
          }
          throw new IOException(
              "it moved or changed " + ATTEMPTS + " times while it was being read");
        });
  }

  private void requireOneDirectory(JobId id, JobState state) throws IOException {
    Optional<JobState> copy =
        state.isFinal() ? Optional.empty() : layout.lookUpCopy(disk, id, state);
    if (copy.isPresent()) {
      throw new DuplicateJobException(layout, state, copy.get());
    }
  }

  /** As {@link #snapshot}, its log completed from its directory. */
  public Optional<JobOnDisk> completed(JobId id) {
    return ofJob(
        "read job " + id,
        () -> {
          Optional<JobOnDisk> job = snapshot(id);
          job.ifPresent(FsReader::complete);
          return job;
        });
  }

  private JobOnDisk read(JobId id, JobState directoryState) throws IOException {
    JobOnDisk job =
        JobOnDisk.read(
            new JobOnDisk.Location(
                id, new JobDirectory(disk, layout.of(directoryState, id)), directoryState),
            TransitionListener.IGNORED,
            LogTimes.AS_LOGGED,
            seen.get(id),
            null);
    if (job.log().length() > 0) {
      seen.put(id, job, job.size());
    }
    return job.copy();
  }

  private static List<LogEntry> complete(JobOnDisk job) {
    JobUpdate update =
        new JobUpdate(
            job.fold(), job.time(job.fold().lastAt()), stage -> new Fact.Opening(0, null));
    return job.reconcile(update);
  }

  @Override
  public Optional<JobView> find(JobId id) {
    return ofJob("read job " + id, () -> snapshot(id).map(FsReader::view));
  }

  private static JobView view(JobOnDisk job) {
    complete(job);
    JobView view = ViewFactory.job(job.files().header(), job.fold());
    JobView placed =
        view.state() == job.directoryState() ? view : view.withState(job.directoryState());
    return job.problem() == null ? placed : placed.withProblem(job.problem());
  }

  @Override
  public List<TaskView> tasks(JobId id, int stage, int from, int limit) {
    return onStage(
        id,
        stage,
        List.of(),
        (job, of) -> {
          List<TaskView> views = new ArrayList<>();
          for (int task = Math.max(1, from); task <= of.size() && views.size() < limit; task++) {
            views.add(job.files().view(job.at(), TaskSnapshot.of(of, task)));
          }
          return views;
        });
  }

  @Override
  public Optional<TaskView> task(JobId id, int stage, int task) {
    return onStage(
        id,
        stage,
        Optional.empty(),
        (job, of) ->
            of.hasTask(task)
                ? Optional.of(job.files().view(job.at(), TaskSnapshot.of(of, task)))
                : Optional.empty());
  }

  @Override
  public OutputSoFar outputSoFar(JobId id, int stage, int task, long from) {
    OutputSoFar none = new OutputSoFar(from, from, List.of());
    return onStage(
        id,
        stage,
        none,
        (job, of) -> {
          FencingToken entry = of.hasTask(task) ? of.task(task).journalKey() : null;
          if (entry == null || of.task(task).state() == TaskState.COMPLETED) {
            return none;
          }
          Path file = job.files().journalFile(job.at(), of, task);
          OutputSoFar draft = TokenJournal.outputSoFar(disk, file, entry, from);
          if (draft.next() == 0 && disk.kind(job.at().dir()) == Disk.Kind.NOTHING) {
            throw new NoSuchFileException(file.toString());
          }
          return draft;
        });
  }

  @Override
  public Optional<String> partialOutput(JobId id, int stage, int task) {
    String reported =
        onStage(
            id,
            stage,
            "",
            (job, of) -> {
              boolean has = of.hasTask(task) && of.task(task).state() != TaskState.COMPLETED;
              String text = has ? job.files().partial(job.at(), TaskSnapshot.of(of, task)) : null;
              return text == null ? "" : text;
            });
    return reported.isEmpty()
        ? JobReader.super.partialOutput(id, stage, task)
        : Optional.of(reported);
  }

  @Override
  public Optional<QueuePosition> queuePosition(JobId id) {
    return io("look for " + id, () -> QueuePositionByAge.position(disk, layout, id, threading));
  }

  /** Reads something of a stage. */
  private interface StageRead<T> {
    T of(JobOnDisk job, StageFold stage) throws IOException;
  }

  private <T> T onStage(JobId id, int stage, T none, StageRead<T> read) {
    return onJob(
        id, none, job -> job.fold().hasStage(stage) ? read.of(job, job.fold().stage(stage)) : none);
  }

  /** Reads something of a job. */
  private interface JobRead<T> {
    T of(JobOnDisk job) throws IOException;
  }

  private <T> T onJob(JobId id, T none, JobRead<T> read) {
    return ofJob("read the tasks of " + id, () -> whileItMoves(() -> unchanged(id), none, read));
  }

  /** Reads something of a job, and again as it is now if it moves or changes meanwhile. */
  private <T> T whileItMoves(Supplier<Optional<JobOnDisk>> find, T none, JobRead<T> read)
      throws IOException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Optional<JobOnDisk> job = find.get();
      if (job.isEmpty()) {
        return none;
      }
      try {
        return read.of(job.get());
      } catch (NoSuchFileException e) {
        if (disk.kind(job.get().at().dir()) == Disk.Kind.DIRECTORY) {
          throw e;
        }
        // it moved while it was read
      } catch (EventLogIndex.ChangedLogException e) {
        if (attempt >= CHANGES) {
          throw e; // it is damaged
        }
        // a failed write was taken back
      }
    }
    throw new IOException("it moved or changed " + ATTEMPTS + " times while it was being read");
  }

  /** The job as it was read for the previous page, if it has not changed since. */
  private Optional<JobOnDisk> unchanged(JobId id) {
    String stamp = stamp(id, false);
    Completed last = completed.get(id);
    if (last != null && last.stamp().equals(stamp)) {
      return Optional.of(last.job());
    }
    Optional<JobOnDisk> found = snapshot(id);
    found.ifPresent(
        job -> {
          complete(job);
          completed.put(id, new Completed(stamp, job), job.size());
        });
    return found;
  }

  @Override
  public List<LogEntry> events(JobId id, long after, int limit) {
    return ofJob(
        "read the log of " + id,
        () -> whileItMoves(() -> snapshot(id), List.of(), job -> events(job, after, limit)));
  }

  /** Entries of its log, and what is certain to follow them, though it is not there yet. */
  private static List<LogEntry> events(JobOnDisk job, long after, int limit) throws IOException {
    List<LogEntry> entries = job.log().pages(job.at()).entries(after, limit);
    if (entries.size() == limit
        || !entries.isEmpty() && entries.getLast().number() < job.log().last()) {
      return entries;
    }
    List<LogEntry> rest = new ArrayList<>(job.unwritten());
    rest.addAll(certain(job) ? complete(job) : List.of());
    rest.stream()
        .filter(entry -> entry.number() > after)
        .limit(limit - entries.size())
        .forEach(entries::add);
    return entries;
  }

  /**
   * Whether the completed log is final: a user's lever that is not in the log yet will be added
   * exactly so; other entries may differ.
   */
  private static boolean certain(JobOnDisk job) {
    return job.directoryState().isFinal()
        || job.op() != null
            && job.op().to() == job.directoryState()
            && !job.fold().hasRequest(job.op().id());
  }

  @Override
  public Optional<JobSpec> spec(JobId id) {
    return onJob(id, Optional.empty(), job -> Optional.of(job.spec()));
  }

  /** A job that cannot be read waits for nobody's approval. */
  private boolean isAtGate(JobId id) {
    try {
      return find(id).flatMap(JobView::stageAtGate).isPresent();
    } catch (JobException e) {
      return false;
    }
  }

  @Override
  public List<JobId> list(Query query) {
    return io("list " + layout.root(), () -> catalogue.list(query));
  }

  @Override
  public Map<JobState, Integer> counts() {
    return io("count the jobs in " + layout.root(), catalogue::counts);
  }

  /** As {@link #counts}, if some names are known to be jobs. */
  public Map<JobState, Integer> counts(Predicate<JobId> known) {
    return io("count the jobs in " + layout.root(), () -> catalogue.counts(known));
  }

  @Override
  public QueueStats queueStats() {
    long end = threading.nanoTime() + CENSUS.toNanos();
    QueueStatsBuilder builder = new QueueStatsBuilder();
    for (JobId id : list(Query.in(Set.of(JobState.PENDING, JobState.IN_PROGRESS)))) {
      if (threading.nanoTime() > end) {
        break; // only an owner knows all of them without reading each
      }
      try {
        find(id).ifPresent(builder::add);
      } catch (JobException e) {
        // count it by its state, without its waiting tasks
      }
    }
    return builder.build(counts());
  }

  @Override
  public void awaitChange(JobId id, Duration atMost) throws InterruptedException {
    long end = threading.nanoTime() + atMost.toNanos();
    String before = stamp(id, true);
    while (threading.nanoTime() < end && stamp(id, true).equals(before)) {
      long left = (end - threading.nanoTime()) / 1_000_000;
      threading.sleep(Duration.ofMillis(Math.min(POLL.toMillis(), Math.max(1, left))));
    }
  }

  /** Changes when a file of the job does; never throws. */
  public String version(JobId id) {
    try {
      return stamps.ofFiles(id);
    } catch (IOException e) {
      return StoreErrors.explain(e);
    }
  }

  private String stamp(JobId id, boolean output) {
    return ofJob("watch " + id, () -> output ? stamps.withOutput(id) : stamps.of(id));
  }

  private interface Io<T> {
    T run() throws IOException;
  }

  private static <T> T io(String what, Io<T> read) {
    try {
      return read.run();
    } catch (IOException e) {
      throw StoreErrors.of("cannot " + what, e);
    }
  }

  private static <T> T ofJob(String what, Io<T> read) {
    try {
      return read.run();
    } catch (IOException e) {
      throw StoreErrors.ofReading("cannot " + what, e);
    } catch (StoreException e) {
      throw e;
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      throw StoreErrors.ofReading("cannot " + what, e); // hostile content may throw anything
    }
  }
}
