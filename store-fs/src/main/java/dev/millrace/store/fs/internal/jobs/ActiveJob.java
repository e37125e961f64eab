package dev.millrace.store.fs.internal.jobs;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.AttemptProgress;
import dev.millrace.core.internal.rules.ClaimRules;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.internal.rules.TransitionListener;
import dev.millrace.core.internal.rules.ViewFactory;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobView;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.EventLogOffsets;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import dev.millrace.store.fs.internal.files.JobOnDisk;
import dev.millrace.store.fs.internal.files.TokenJournal;
import dev.millrace.store.fs.internal.files.TokenJournalWriter;
import dev.millrace.store.fs.internal.queue.StageQueue;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A job in the owner's memory: its fold, and its waiting tasks. Guarded by its {@link #lock}. */
public final class ActiveJob implements TransitionListener {
  final ReentrantLock lock = new ReentrantLock();
  private final JobId id;
  private final Disk disk;
  private final WorkspaceLayout layout;
  private final List<StageQueue> queues = new ArrayList<>();
  private final List<LogEntry> unwritten = new ArrayList<>();
  private final Map<Long, TokenJournalWriter> journals = new HashMap<>();
  private final List<ClaimKey> stopped = new ArrayList<>();
  private @Nullable JobFiles files;
  private @Nullable JobFold fold;
  private @Nullable String problem;
  private JobState directoryState;
  private long logLength;
  private boolean forgotten;
  private boolean lever;
  private final EventLogOffsets marks = new EventLogOffsets();
  private boolean arrival;
  private long batch;
  private volatile boolean timeouts;
  private final Map<Integer, Instant> overdue = new HashMap<>();

  ActiveJob(JobId id, Disk disk, WorkspaceLayout layout, JobState directoryState) {
    this.id = id;
    this.disk = disk;
    this.layout = layout;
    this.directoryState = directoryState;
  }

  /** Loads what was read from the job's directory; until then it is empty. */
  void load(JobOnDisk snapshot) {
    this.files = snapshot.files();
    this.fold = snapshot.fold(); // without the log, which may be many times larger
    this.problem = snapshot.problem();
    this.logLength = snapshot.log().length();
    this.timeouts = anyStageHasTimeouts();
    if (logLength > 0) {
      marks.add(fold.lastNumber(), logLength);
    }
  }

  private boolean anyStageHasTimeouts() {
    return fold().stages().stream().anyMatch(stage -> stage.plan().policy().hasTimeouts());
  }

  /** Whether time alone can change it; may be called without its lock. */
  public boolean hasTimeouts() {
    return timeouts;
  }

  /** Call after a step that is part of that sync or an earlier one. */
  void enlistedIn(long enlisted) {
    batch = Math.max(batch, enlisted);
    timeouts |= !fold().plan().sealed() && anyStageHasTimeouts();
  }

  /** The sync after which everything in memory is durable. */
  public long lastSync() {
    return batch;
  }

  /** The valid bytes of its log; bytes after them are from a failed write. */
  long logLength() {
    return logLength;
  }

  /** Call after that many bytes were appended to its log, up to that entry. */
  void logAppended(long bytes, long number) {
    logLength += bytes;
    marks.add(number, logLength);
  }

  /** Entries of its log after that number; empty if the whole log must be read. */
  public Optional<List<LogEntry>> events(long after, int limit) throws IOException {
    return unwritten.isEmpty() ? marks.read(at(), after, limit) : Optional.empty();
  }

  @Override
  public void onTransition(Transition move) {
    if (move.task() == 0) {
      lever |= fold != null && stops(move.to()) && isRunning();
      return;
    }
    if (move.from() == TaskState.IN_PROGRESS) {
      journals.remove(key(move.stage(), move.task()));
      if (fold != null && move.to() == TaskState.ABORTED) {
        FencingToken token =
            Objects.requireNonNull(fold.stage(move.stage()).task(move.task()).token());
        stopped.add(new ClaimKey(move.stage(), move.task(), token));
      }
    }
    while (queues.size() < move.stage()) {
      queues.add(new StageQueue());
    }
    boolean queued = ((TaskState) move.to()).isQueued();
    queues.get(move.stage() - 1).set(move.task(), queued);
    arrival |= queued;
  }

  /** Whether workers stop when their job or stage reaches this state. */
  private static boolean stops(Enum<?> state) {
    return state == JobState.PAUSED
        || state == JobState.ABORTED
        || state == JobState.FAILED
        || state == StageState.WAITING;
  }

  /** Whether its running tasks must be notified of a change since the last call. */
  boolean takeLeverFlag() {
    boolean was = lever;
    lever = false;
    return was;
  }

  /** Whether a task was enqueued since the last call. */
  boolean takeArrivalFlag() {
    boolean was = arrival;
    arrival = false;
    return was;
  }

  /**
   * The earliest time at which a waiting task of the stage can exceed its timeout; null if unknown.
   */
  public @Nullable Instant overdueFrom(int stage) {
    return overdue.get(stage);
  }

  public void overdueFrom(int stage, Instant earliest) {
    overdue.put(stage, earliest);
  }

  /** Its present priority. */
  public Priority priority() {
    Priority changed = fold().priority();
    return changed == null ? files().header().priority() : changed;
  }

  public JobView view() {
    JobView view = ViewFactory.job(files().header(), fold());
    return problem == null ? view : view.withProblem(problem);
  }

  /** The present claim of a running task. */
  public Claim claim(StageFold stage, int task) throws IOException {
    TaskFold at = stage.task(task);
    TaskFold.LoggedClaim held = Objects.requireNonNull(at.lastClaim());
    TaskSpec asked = files().task(at(), stage, task);
    return new Claim(
        id,
        new ClaimKey(stage.number(), task, held.token()),
        stage.plan().type(),
        stage.plan().spec().data(),
        fold().plan().createdAt(),
        new Claim.Limits(stage.plan().policy().runTimeout(), held.lease()),
        resumption(stage, task),
        ViewFactory.task(stage, task, asked, null));
  }

  /** What earlier attempts under the same terms left; null if the terms are not frozen. */
  private Claim.@Nullable Resumption resumption(StageFold stage, int task) throws IOException {
    JsonObject terms = stage.task(task).frozenTerms();
    return terms == null
        ? null
        : new Claim.Resumption(terms, files().readJournal(at(), stage, task).tokens());
  }

  /** Claims that ended because the job ended. */
  List<ClaimKey> claimsEndedWithJob() {
    return stopped;
  }

  private static long key(int stage, int task) {
    return (long) stage << 32 | task;
  }

  /** Whether a running task may have a journal. */
  public boolean hasJournal(ClaimKey hold) {
    return journals.containsKey(key(hold.stage(), hold.task()))
        || fold().stage(hold.stage()).task(hold.task()).freezeEntry() != null;
  }

  /** Appends to the journal of a running task. */
  public void appendJournal(ClaimKey hold, OutputChunk piece) throws IOException {
    FencingToken entry = fold().stage(hold.stage()).task(hold.task()).journalKey();
    long key = key(hold.stage(), hold.task());
    TokenJournalWriter writer = journals.get(key);
    if (writer == null || !writer.isOf(hold.token(), entry)) {
      writer = new TokenJournalWriter(hold.token(), entry);
      journals.put(key, writer);
    }
    writer.append(disk, files().journalFile(at(), fold().stage(hold.stage()), hold.task()), piece);
  }

  /** How far the last claim of a task had come, as its journal shows. */
  public AttemptProgress attemptProgress(ClaimKey hold) {
    TaskFold task = fold().stage(hold.stage()).task(hold.task());
    TokenJournal.Content journal =
        files().readJournal(at(), fold().stage(hold.stage()), hold.task());
    return AttemptProgress.of(task, journal.last(), journal.grew());
  }

  public JobId id() {
    return id;
  }

  public JobFiles files() {
    return Objects.requireNonNull(files, "the job was not read");
  }

  public JobFold fold() {
    return Objects.requireNonNull(fold, "the job was not read");
  }

  /** Why its files are not a job; null if they are. */
  public @Nullable String problem() {
    return problem;
  }

  public JobState directoryState() {
    return directoryState;
  }

  /** Call after its directory was renamed. */
  void movedTo(JobState in) {
    directoryState = in;
  }

  JobOnDisk.Location location() {
    return new JobOnDisk.Location(id, at(), directoryState);
  }

  public JobDirectory at() {
    return new JobDirectory(disk, layout.of(directoryState, id));
  }

  /** Entries to write before the next ones, because the log does not exist yet. */
  List<LogEntry> unwritten() {
    return unwritten;
  }

  /** Marks it as dropped: holders of a reference must look the job up again. */
  void forget() {
    forgotten = true;
  }

  boolean isForgotten() {
    return forgotten;
  }

  /** The stage whose tasks can be claimed; null if there is none now. */
  public @Nullable StageFold openStage() {
    if (!fold().state().isOpen()) {
      return null;
    }
    for (StageFold stage : fold().stages()) {
      if (stage.state().isOpen()) {
        return stage;
      }
    }
    return null;
  }

  /** The first waiting task of a stage from number {@code from} on; -1 if there is none. */
  public int nextWaiting(int stage, int from) {
    return stage <= queues.size() ? queues.get(stage - 1).nextWaiting(from) : -1;
  }

  /** As {@link #nextWaiting}, without tasks in their backoff. */
  public int nextClaimable(StageFold stage, int from, Instant now) {
    int number = stage.number();
    return number <= queues.size() ? queues.get(number - 1).nextClaimable(stage, from, now) : -1;
  }

  /** When a waiting task of a stage can be claimed; null if one can be claimed now. */
  @Nullable Instant backoffUntil(StageFold stage, Instant now) {
    return nextClaimable(stage, 0, now) >= 0
        ? null
        : queues.get(stage.number() - 1).nextBackoffEnd();
  }

  /** Whether it has not started, so that its files and the queue hold all its state. */
  boolean isUnstarted() {
    return directoryState == JobState.PENDING && fold().state() == JobState.PENDING;
  }

  /** When the first of its waiting tasks exceeds its timeout; null if none will. */
  @Nullable Instant queueDeadline() {
    StageFold stage = openStage();
    if (stage == null || stage.plan().policy().queueTimeout() == null) {
      return null;
    }
    Instant earliest = null;
    for (int task = nextWaiting(stage.number(), 0);
        task >= 0;
        task = nextWaiting(stage.number(), task + 1)) {
      Instant deadline = ClaimRules.queueDeadline(fold(), stage.number(), task);
      if (earliest == null || deadline != null && deadline.isBefore(earliest)) {
        earliest = deadline;
      }
    }
    return earliest;
  }

  /** Whether a worker has a task of one of these types; takes the lock itself. */
  public boolean isRunningAny(Set<String> types) {
    lock.lock();
    try {
      return !forgotten
          && fold().stages().stream()
              .anyMatch(
                  stage ->
                      types.contains(stage.plan().type())
                          && stage.count(TaskState.IN_PROGRESS) > 0);
    } finally {
      lock.unlock();
    }
  }

  /** Whether a worker has one of its tasks. */
  boolean isRunning() {
    for (StageFold stage : fold().stages()) {
      if (stage.count(TaskState.IN_PROGRESS) > 0) {
        return true;
      }
    }
    return false;
  }
}
