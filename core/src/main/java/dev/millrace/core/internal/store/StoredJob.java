package dev.millrace.core.internal.store;

import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.internal.count.JobCounts;
import dev.millrace.core.internal.rules.ClaimRules;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TransitionListener;
import dev.millrace.core.internal.rules.ViewFactory;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A job in memory: its fold, and its waiting tasks. A repository extends it by what it must know of
 * a job, and renders the templates of a stage that opens. Guarded by its lock.
 */
public abstract class StoredJob implements TransitionListener, JobUpdate.TemplateResolver {
  final ReentrantLock lock;
  private final JobId id;
  private final List<StageQueue> queues = new ArrayList<>();
  private final Set<ClaimKey> owed = new HashSet<>();
  private final Map<Integer, Instant> overdue = new HashMap<>();
  private @Nullable JobFold fold;
  private boolean forgotten;
  private volatile boolean broken;
  private boolean stopsTasks;
  private boolean arrival;
  private long commit;
  private volatile boolean timeouts;

  protected StoredJob(JobId id, Threading threading) {
    this.id = id;
    this.lock = threading.newLock();
  }

  /**
   * Sets the fold. Unless the job has ended, it has reported its transitions to this job while it
   * was made.
   */
  protected final void loaded(JobFold read) {
    fold = read;
    timeouts = anyStageHasTimeouts();
  }

  /** The job as submitted. */
  public abstract JobHeader header();

  /** Why what was stored is not a job; null if it is. */
  public @Nullable String problem() {
    return null;
  }

  /** Records what else is known of the job and its log lacks. */
  public void reconcile(JobUpdate update) {}

  /** The wall time of what {@link #reconcile} records. */
  public Instant reconciledAt(Instant now) {
    return now;
  }

  /**
   * The final state that someone else gave the job without an entry in its log; null if none. Such
   * a job takes no lever and no answer.
   */
  public @Nullable JobState endedElsewhere() {
    return null;
  }

  /**
   * Whether what is stored and the index hold all its state, so that it can be dropped from memory
   * at any time.
   */
  final boolean isIdle() {
    return isUnstarted()
        || fold().state() == JobState.IN_PROGRESS
            && endedElsewhere() == null
            && owed.isEmpty()
            && !isRunning();
  }

  /** About how many bytes of memory it takes. */
  public long memory() {
    return fold().size();
  }

  /** Whether it has not started. */
  public boolean isUnstarted() {
    return fold().state() == JobState.PENDING;
  }

  public final JobId id() {
    return id;
  }

  public final JobFold fold() {
    return Objects.requireNonNull(fold, "the job was not read");
  }

  private boolean anyStageHasTimeouts() {
    return fold().stages().stream().anyMatch(stage -> stage.plan().policy().hasTimeouts());
  }

  /** Whether time alone can change it; may be called without its lock. */
  final boolean hasTimeouts() {
    return timeouts;
  }

  /** Call after a step that is part of that commit or an earlier one. */
  final void committedIn(long number) {
    commit = Math.max(commit, number);
    timeouts |= !fold().plan().sealed() && anyStageHasTimeouts();
  }

  /** The commit after which everything in memory is durable. */
  public final long commit() {
    return commit;
  }

  @Override
  public void onTransition(Transition move) {
    if (move.task() == 0) {
      stopsTasks |= fold != null && stops(move.to()) && isRunning();
      return;
    }
    if (move.from() == TaskState.IN_PROGRESS && fold != null && move.to() == TaskState.ABORTED) {
      FencingToken token =
          Objects.requireNonNull(fold.stage(move.stage()).task(move.task()).token());
      owed.add(new ClaimKey(move.stage(), move.task(), token));
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
        || state == StageState.WAITING
        || state == StageState.FAILED;
  }

  /** Whether workers stop because of the state that it is in, or one of its stages. */
  final boolean stopsTasks() {
    return stops(fold().state())
        || fold().stages().stream().anyMatch(stage -> stops(stage.state()));
  }

  /** Whether its running tasks must be notified of a change since the last call. */
  final boolean takeStopsTasks() {
    boolean was = stopsTasks;
    stopsTasks = false;
    return was;
  }

  /** Whether a task was enqueued since the last call. */
  public final boolean takeArrival() {
    boolean was = arrival;
    arrival = false;
    return was;
  }

  /**
   * Claims that ended with the job and whose workers have not answered yet. Without them, each late
   * answer would read the whole log of an ended job again.
   */
  final Set<ClaimKey> owedAnswers() {
    return owed;
  }

  /**
   * The earliest steady time at which a waiting task of the stage can exceed its timeout; null if unknown.
   */
  final @Nullable Instant overdueFrom(int stage) {
    return overdue.get(stage);
  }

  final void overdueFrom(int stage, Instant earliest) {
    overdue.put(stage, earliest);
  }

  /** Its present priority. */
  public final Priority priority() {
    Priority changed = fold().priority();
    return changed == null ? header().priority() : changed;
  }

  /** What it adds to the counts. */
  final JobCounts counts() {
    JobState ended = endedElsewhere();
    return JobCounts.of(fold(), ended == null ? fold().state() : ended, priority());
  }

  public final JobView view() {
    JobView view = ViewFactory.job(header(), fold());
    String problem = problem();
    return problem == null ? view : view.withProblem(problem);
  }

  /** Marks it as dropped: holders of a reference must look the job up again. */
  final void forget() {
    forgotten = true;
  }

  /** Whether what is in memory no longer counts. */
  final boolean isForgotten() {
    return forgotten || broken;
  }

  /**
   * Marks it as ahead of its log, perhaps: a step has failed. Needs no memory, so that it succeeds
   * whatever the step has failed of; who finds it next drops it.
   */
  final void markBroken() {
    broken = true;
  }

  /** Whether it must be dropped; may be called without its lock. */
  final boolean isBroken() {
    return broken && !forgotten; // one that is dropped may have a successor with more entries
  }

  /** The stage whose tasks can be claimed; null if there is none now. */
  public final @Nullable StageFold openStage() {
    if (fold().state().isOpen() && endedElsewhere() == null) {
      for (StageFold stage : fold().stages()) {
        if (stage.state().isOpen()) {
          return stage;
        }
      }
    }
    return null;
  }

  /** The first waiting task of a stage from number {@code from} on; -1 if there is none. */
  public final int nextWaiting(int stage, int from) {
    return stage <= queues.size() ? queues.get(stage - 1).nextWaiting(from) : -1;
  }

  /** As {@link #nextWaiting}, without tasks in their backoff at that steady time. */
  public final int nextClaimable(StageFold stage, int from, Instant now) {
    int number = stage.number();
    return number <= queues.size() ? queues.get(number - 1).nextClaimable(stage, from, now) : -1;
  }

  /** The steady time at which a waiting task of a stage can be claimed; null: one can be now. */
  public final @Nullable Instant backoffUntil(StageFold stage, Instant now) {
    return nextClaimable(stage, 0, now) >= 0
        ? null
        : queues.get(stage.number() - 1).nextBackoffEnd();
  }

  /** The steady time at which the first of its waiting tasks exceeds its timeout; null: none will. */
  public final @Nullable Instant queueDeadline() {
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
  public final boolean isRunningAny(Set<String> types) {
    lock.lock();
    try {
      return !isForgotten()
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
  public final boolean isRunning() {
    for (StageFold stage : fold().stages()) {
      if (stage.count(TaskState.IN_PROGRESS) > 0) {
        return true;
      }
    }
    return false;
  }
}
