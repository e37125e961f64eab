package dev.millrace.core.store.memory;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.internal.rules.AttemptProgress;
import dev.millrace.core.internal.rules.ClaimRules;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.internal.store.WorkListeners;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.store.WorkListener;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The store contract as a program: everything in memory, every answer by a full search, one thread
 * at a time. Slow on purpose; other stores are compared with it.
 */
public final class MemoryStore extends MemoryControls implements JobStore {

  /** How often a waiting worker checks the clock, which may be a test's. */
  private static final long LOOK_MILLIS = 10;

  private record Holding(JobId job, ClaimKey key) {}

  private record Lease(Duration length, Instant until) {

    /** A lease that ends later than it can was set by another clock: it restarts. */
    Lease at(Instant now) {
      Instant latest = now.plus(length);
      return until.isAfter(latest) ? new Lease(length, latest) : this;
    }
  }

  private final WorkListeners listeners = new WorkListeners();
  private final long epoch;
  private final Map<Holding, Lease> leases = new HashMap<>();

  /** Takes over {@code contents}: folds every log and recovers running tasks. */
  MemoryStore(ContractSettings settings, Contents contents) {
    super(settings, contents);
    this.epoch = ++contents.epoch;
    for (MemoryJob job : jobs.values()) {
      step(
          job.id,
          update -> {
            ClaimRules.recover(update, epoch, key -> trace(job.id, key));
            return update.runCascade();
          });
      takeOver(job.id);
    }
  }

  /** Grants all leases again in full, and collects the backoffs. */
  private void takeOver(JobId id) {
    for (StageFold stage : folds.get(id).stages()) {
      for (int task = 1; task <= stage.size(); task++) {
        TaskFold fold = stage.task(task);
        if (fold.notBefore() != null) {
          backoffs.add(fold.notBefore());
        }
        if (fold.state() == TaskState.IN_PROGRESS) {
          grant(id, new ClaimKey(stage.number(), task, fold.token()), fold.lastClaim().lease());
        }
      }
    }
  }

  private void grant(JobId id, ClaimKey key, @Nullable Duration lease) {
    if (lease != null) {
      leases.put(new Holding(id, key), new Lease(lease, now().plus(lease)));
    }
  }

  private AttemptProgress trace(JobId id, ClaimKey key) {
    TaskFold task = folds.get(id).stage(key.stage()).task(key.task());
    return jobs.get(id).trace(key.stage(), key.task(), task);
  }

  @Override
  public List<Claim> claim(ClaimRequest request) {
    return listeners.claimed(claimed(request));
  }

  private List<Claim> claimed(ClaimRequest request) {
    return alone(
        () -> {
          List<Claim> claims = new ArrayList<>();
          for (MemoryJob job : inClaimOrder()) {
            claims.addAll(claim(job, request, request.limit() - claims.size()));
          }
          return claims;
        });
  }

  private List<Claim> claim(MemoryJob job, ClaimRequest request, int most) {
    List<Claim> taken = new ArrayList<>();
    JobFold fold = folds.get(job.id);
    for (StageFold stage : fold.stages()) {
      if (taken.size() < most && request.types().contains(stage.plan().type())) {
        expire(job.id, stage); // their queue timeout may have passed unnoticed
      }
      for (int task = 1; task <= stage.size(); task++) {
        if (taken.size() < most
            && request.types().contains(stage.plan().type())
            && ClaimRules.isClaimable(fold, stage.number(), task, now())) {
          taken.add(claim(job, stage, task, request));
        }
      }
    }
    return taken;
  }

  private void expire(JobId id, StageFold stage) {
    for (int task = 1; task <= stage.size(); task++) {
      int number = task;
      if (due(ClaimRules.queueDeadline(folds.get(id), stage.number(), task))) {
        step(id, update -> ClaimRules.expire(update, stage.number(), number));
      }
    }
  }

  private Claim claim(MemoryJob job, StageFold stage, int task, ClaimRequest request) {
    Detail.Claimed by =
        new Detail.Claimed(epoch, request.worker(), request.lease(), request.tokenless());
    step(job.id, update -> ClaimRules.claim(update, stage.number(), task, by));
    Claim claim = present(job, stage, task);
    grant(job.id, claim.key(), request.lease());
    return claim;
  }

  private static Claim present(MemoryJob job, StageFold stage, int task) {
    int number = stage.number();
    TaskFold fold = stage.task(task);
    StageSpec spec = stage.plan().spec();
    JsonObject terms = fold.frozenTerms();
    return new Claim(
        job.id,
        new ClaimKey(number, task, fold.token()),
        spec.type(),
        spec.data(),
        job.createdAt,
        new Claim.Limits(spec.policy().runTimeout(), fold.lastClaim().lease()),
        terms == null ? null : new Claim.Resumption(terms, journaled(job, number, task, fold)),
        view(job, stage, task));
  }

  private static List<Integer> journaled(MemoryJob job, int stage, int task, TaskFold fold) {
    return job.journal(stage, task, fold.freezeEntry()).stream()
        .flatMap(piece -> piece.tokens().stream())
        .toList();
  }

  @Override
  public synchronized Optional<Claim> findClaim(JobId id, int stage, int task) {
    return task(id, stage, task)
        .filter(view -> view.state() == TaskState.IN_PROGRESS)
        .map(_ -> present(jobs.get(id), folds.get(id).stage(stage), task));
  }

  @Override
  public Outcome complete(Claim claim, TaskResult result) {
    return listeners.answered(claim, WorkListener.Answer.COMPLETED, completed(claim, result));
  }

  private Outcome completed(Claim claim, TaskResult result) {
    ClaimKey key = claim.key();
    return alone(
        () -> {
          MemoryJob job = jobs.get(claim.job());
          if (job != null && ClaimRules.checkFence(folds.get(job.id), key).isDone()) {
            // before the completion: the next stage's templates may need it at once
            job.keep(key.stage(), key.task(), result);
          }
          return answer(
              claim.job(), update -> ClaimRules.complete(update, key, new Detail.Completed(0, 0)));
        });
  }

  @Override
  public Outcome fail(Claim claim, Failure failure) {
    return listeners.answered(claim, WorkListener.Answer.FAILED, failed(claim, failure));
  }

  private Outcome failed(Claim claim, Failure failure) {
    return answer(
        claim.job(),
        update -> ClaimRules.fail(update, claim.key(), failure, settings.random().nextDouble()));
  }

  @Override
  public Outcome release(Claim claim, String reason) {
    return listeners.answered(claim, WorkListener.Answer.RELEASED, released(claim, reason));
  }

  private Outcome released(Claim claim, String reason) {
    return answer(claim.job(), update -> ClaimRules.release(update, claim.key(), reason));
  }

  @Override
  public ClaimSignal heartbeat(Claim claim, boolean progress) {
    return listeners.signalled(claim, pulse(claim, progress));
  }

  private ClaimSignal pulse(Claim claim, boolean progress) {
    ClaimKey key = claim.key();
    return alone(
        () -> {
          JobFold fold = folds.get(claim.job());
          if (fold == null) {
            return ClaimSignal.LOST;
          }
          if (ClaimRules.checkFence(fold, key).isDone()) {
            leases.computeIfPresent(
                new Holding(claim.job(), key),
                (at, lease) -> new Lease(lease.length(), now().plus(lease.length())));
            if (progress) {
              step(claim.job(), update -> ClaimRules.progress(update, key));
            }
          }
          return ClaimRules.signal(fold, key);
        });
  }

  @Override
  public Outcome freeze(Claim claim, JsonObject terms) {
    return answer(claim.job(), update -> ClaimRules.freeze(update, claim.key(), terms));
  }

  @Override
  public ClaimSignal appendJournal(Claim claim, OutputChunk piece) {
    return listeners.signalled(claim, append(claim, piece));
  }

  private ClaimSignal append(Claim claim, OutputChunk piece) {
    return alone(
        () -> {
          ClaimSignal pulse = pulse(claim, !piece.tokens().isEmpty());
          if (pulse == ClaimSignal.CONTINUE || pulse == ClaimSignal.PAUSE) {
            ClaimKey key = claim.key();
            TaskFold task = folds.get(claim.job()).stage(key.stage()).task(key.task());
            jobs.get(claim.job()).journal(key, task.journalKey(), piece);
            notifyAll();
          }
          return pulse;
        });
  }

  @Override
  public void log(Claim claim, String level, String line) {
    ClaimKey key = claim.key();
    answer(
        claim.job(),
        update -> {
          Outcome outcome = ClaimRules.checkFence(update.fold(), key);
          if (outcome.isDone()) {
            update.record(new Fact.WorkerLogLine(key.stage(), key.task(), level, line));
          }
          return outcome;
        });
  }

  @Override
  public int sweep() {
    return listeners.swept(
        alone(
            () -> {
              leases.replaceAll((_, lease) -> lease.at(now()));
              return List.copyOf(jobs.keySet()).stream().mapToInt(this::sweep).sum();
            }));
  }

  private int sweep(JobId id) {
    int moved = 0;
    for (StageFold stage : folds.get(id).stages()) {
      for (int task = 1; task <= stage.size(); task++) {
        moved += sweep(id, stage, task).isDone() ? 1 : 0;
      }
    }
    return moved;
  }

  private Outcome sweep(JobId id, StageFold stage, int task) {
    JobFold fold = folds.get(id);
    int number = stage.number();
    if (due(ClaimRules.runDeadline(fold, number, task))) {
      return step(
          id,
          update -> ClaimRules.failOverrun(update, number, task, settings.random().nextDouble()));
    }
    if (due(ClaimRules.queueDeadline(fold, number, task))) {
      return step(id, update -> ClaimRules.expire(update, number, task));
    }
    if (stage.task(task).state() == TaskState.IN_PROGRESS) {
      ClaimKey key = new ClaimKey(number, task, stage.task(task).token());
      Lease lease = leases.get(new Holding(id, key));
      if (lease != null && due(lease.until())) {
        return step(
            id,
            update ->
                ClaimRules.recordLoss(update, key, ClaimRules.WorkerLoss.LEASE, trace(id, key)));
      }
    }
    return new Outcome.Refused("nothing is due");
  }

  private boolean due(@Nullable Instant deadline) {
    return deadline != null && !now().isBefore(deadline);
  }

  @Override
  public synchronized long awaitWork(long seen, Duration atMost) throws InterruptedException {
    long nanos = Math.min(atMost.toSeconds(), 1_000_000) * 1_000_000_000L + atMost.getNano();
    long end = System.nanoTime() + nanos;
    while (true) {
      if (!backoffs.isEmpty() && due(backoffs.first())) {
        backoffs.headSet(now(), true).clear();
        work++;
      }
      long left = end - System.nanoTime();
      if (work != seen || left <= 0) {
        return work;
      }
      long millis = TimeUnit.NANOSECONDS.toMillis(left) + 1;
      wait(backoffs.isEmpty() ? millis : Math.min(millis, LOOK_MILLIS));
    }
  }

  @Override
  public synchronized boolean isIdle(Set<String> types) {
    for (JobFold fold : folds.values()) {
      for (StageFold stage : fold.stages()) {
        boolean open = fold.state().isOpen() && stage.state().isOpen();
        int queued = stage.count(TaskState.PENDING) + stage.count(TaskState.RETRIED);
        if (types.contains(stage.plan().type())
            && (stage.count(TaskState.IN_PROGRESS) > 0 || open && queued > 0)) {
          return false;
        }
      }
    }
    return true;
  }

  @Override
  public Subscription onWork(WorkListener listener) {
    return listeners.add(listener);
  }

  @Override
  public synchronized void close() {
    work++;
    notifyAll();
  }
}
