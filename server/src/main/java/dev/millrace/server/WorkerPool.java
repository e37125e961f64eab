package dev.millrace.server;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.time.ProcessClock;
import dev.millrace.server.StopSignal.Reason;
import dev.millrace.server.TaskAttempt.Step;
import dev.millrace.server.internal.ClaimBackoff;
import dev.millrace.server.internal.InterruptZone;
import dev.millrace.server.internal.StoreRetry;
import dev.millrace.server.internal.UnreleasedClaims;
import dev.millrace.server.internal.UrgentJobs;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Claims tasks for the types of its workers, at most as many as their group has free slots, and
 * starts a thread for each. Urgent jobs are claimed without a slot. The pool's thread calls {@link
 * #run} and is the only one that claims; any thread may call the rest.
 */
final class WorkerPool {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  private final JobStore store;
  private final Settings settings;
  private final ServerLifecycle lifecycle;
  private final TaskProcessor processor;
  private final StoreRetry storeRetry;
  private final Map<TaskAttempt, Placement> running = new ConcurrentHashMap<>();
  private final UnreleasedClaims unreleased;
  private final Semaphore slots; // one permit for each free slot of any group
  private final Semaphore slotlessPermits;
  private final UrgentJobs urgent = new UrgentJobs();
  private final InterruptZone zone = new InterruptZone(); // where the pool's thread waits
  private final ClaimBackoff backoff = new ClaimBackoff();
  private int failures; // of the store in a row; of the pool's thread
  private final LongAdder journaled = new LongAdder();
  private long claimed; // of the pool's thread
  private long seen; // of the queue; of the pool's thread
  private boolean heartbeatFailed; // the last one; of the pulse thread

  /**
   * @param name of the server, in the logs of jobs
   * @param maxSlotless the most tasks without a slot; beyond this, waiting tasks keep theirs, and
   *     urgent jobs wait
   * @param broken called when the store is broken
   */
  record Settings(
      String name,
      List<WorkerGroup> groups,
      int maxSlotless,
      ProcessClock clock,
      Consumer<StoreBrokenException> broken) {

    /** The slots of all groups together. */
    int slots() {
      return groups.stream().mapToInt(WorkerGroup::slots).sum();
    }
  }

  /**
   * The group in which a task runs.
   *
   * @param holdsSlot whether it takes one of the group's slots
   */
  private record Placement(WorkerGroup group, boolean holdsSlot) {}

  WorkerPool(
      JobStore store,
      Settings settings,
      ServerLifecycle lifecycle,
      TaskProcessor processor,
      StoreRetry retry) {
    this.store = store;
    this.settings = settings;
    this.lifecycle = lifecycle;
    this.processor = processor;
    this.storeRetry = retry;
    this.unreleased = new UnreleasedClaims(store);
    this.slots = new Semaphore(settings.slots());
    this.slotlessPermits = new Semaphore(settings.maxSlotless());
  }

  /** Claims until the server stops; returns when no task runs. */
  void run() {
    while (lifecycle.state().claims()) {
      try {
        claimOnce();
        storeRetry.failureEnded(this);
        failures = 0;
      } catch (StoreBrokenException e) {
        settings.broken().accept(e);
      } catch (StoreException.Closed e) {
        lifecycle.tryMove(ServerEvent.STOP);
        stopAll(); // nothing of them can be stored: the next owner runs them again
      } catch (RuntimeException | Error e) { // an Error, too: this thread must go on
        storeRetry.failureBegan(this, e);
        await(() -> Thread.sleep(StoreRetry.retryDelay(failures++)));
      }
    }
    storeRetry.failureEnded(this);
    slots.acquireUninterruptibly(settings.slots());
    slotlessPermits.acquireUninterruptibly(settings.maxSlotless());
  }

  /** Claims once for each group, or waits for work. */
  private void claimOnce() {
    if (storeRetry.isFailingForOthers(this)) {
      await(() -> Thread.sleep(StoreRetry.retryDelay(0)));
      return;
    }
    claimUrgent();
    if (settings.slots() > 0) { // else this server claims nothing and only waits for its end
      if (!await(slots::acquire)) {
        return;
      }
      slots.release(); // only to wait until one is free
    }
    int claims = 0;
    for (WorkerGroup group : settings.groups()) {
      claims += group.freeSlots() == 0 ? 0 : claim(group);
    }
    if (claims == 0) {
      awaitWork();
    } else {
      backoff.reset();
    }
  }

  private int claim(WorkerGroup group) {
    Set<String> types = group.readyTypes();
    if (types.isEmpty()) {
      return 0; // a worker that becomes ready wakes this thread
    }
    ClaimRequest request = new ClaimRequest(types, group.freeSlots(), settings.name(), null);
    List<Claim> claims = store.claim(request);
    group.takeSlots(claims.size());
    slots.acquireUninterruptibly(claims.size()); // they are free
    claims.forEach(claim -> dispatch(claim, new Placement(group, true)));
    return claims.size();
  }

  /** Lets the pool claim a task of this job and type without a slot, once its worker is ready. */
  void startSoon(JobId job, String type) {
    if (types().contains(type)) { // else no worker here will ever be ready for it
      urgent.add(job, type);
      wake();
    }
  }

  /**
   * Claims the urgent jobs that can start now. The others stay: a worker that becomes ready wakes
   * this thread, and so does a task that ends without a slot.
   */
  private void claimUrgent() {
    Set<String> ready = readyTypes();
    for (JobId job : urgent.of(ready)) {
      if (!slotlessPermits.tryAcquire()) {
        return;
      }
      claimWithoutSlot(job, ready);
      urgent.remove(job); // not before: if the store fails, it is asked again
    }
  }

  private Set<String> readyTypes() {
    Set<String> ready = new HashSet<>();
    settings.groups().forEach(group -> ready.addAll(group.readyTypes()));
    return ready;
  }

  private void claimWithoutSlot(JobId job, Set<String> ready) {
    List<Claim> claims = List.of();
    try {
      claims = store.claim(new ClaimRequest(ready, 1, settings.name(), null).ofJob(job));
    } finally {
      if (claims.isEmpty()) {
        slotlessPermits.release();
      }
    }
    claims.forEach(claim -> dispatch(claim, new Placement(group(claim.type()), false)));
  }

  private WorkerGroup group(String type) {
    return settings.groups().stream()
        .filter(group -> group.types().contains(type))
        .findFirst()
        .orElseThrow();
  }

  private void awaitWork() {
    boolean drains = lifecycle.state() == ServerState.DRAINING;
    if (drains && running.isEmpty() && unreleased.isEmpty() && store.isIdle(types())) {
      lifecycle.tryMove(ServerEvent.IDLE);
      return;
    }
    await(() -> backoff.await(() -> seen = store.awaitWork(seen, LOOK_AGAIN)));
  }

  /** Starts a task, or releases it: whatever is thrown, the tasks after it are started, too. */
  private void dispatch(Claim claim, Placement placement) {
    TaskAttempt attempt;
    try {
      attempt = new TaskAttempt(claim, claimed++, store, storeRetry, settings.clock());
      attempt.countTokens(journaled);
      running.put(attempt, placement);
    } catch (RuntimeException | Error e) {
      release(placement);
      release(claim);
      LOG.log(Level.ERROR, "task " + claim + " cannot be started and is released", e);
      return;
    }
    try {
      // Checked after adding: either the stop of the server finds this attempt, or it is seen here.
      if (!lifecycle.state().claims()) {
        attempt.stop(Reason.SHUTDOWN);
      }
      thread(placement.group.worker(claim.type()))
          .name("task-" + claim)
          .start(() -> process(attempt));
    } catch (RuntimeException | Error e) { // an OutOfMemoryError if the system has no more threads
      abandon(attempt, "no thread available");
      LOG.log(Level.ERROR, attempt + ": no thread available", e);
    }
  }

  private void release(Claim claim) {
    try {
      unreleased.release(claim);
    } catch (StoreBrokenException e) {
      settings.broken().accept(e);
    }
  }

  private static Thread.Builder thread(@Nullable Worker worker) {
    return worker != null && worker.threading() == Worker.Threading.PLATFORM
        ? MonitoredThreads.work()
        : MonitoredThreads.virtualWork();
  }

  private void process(TaskAttempt attempt) {
    try {
      processor.process(attempt);
    } catch (StoreBrokenException e) {
      settings.broken().accept(e);
    } catch (RuntimeException | Error e) {
      release(attempt.claim()); // nobody else answers for it
      LOG.log(Level.ERROR, attempt + " was not run to its end and is released", e);
    } finally {
      finish(attempt);
    }
  }

  private void finish(TaskAttempt attempt) {
    if (attempt.advance(Step.END)) {
      Placement placement = Objects.requireNonNull(running.remove(attempt));
      release(placement);
      if (running.isEmpty() && lifecycle.state() == ServerState.DRAINING) {
        wake();
      }
    }
  }

  private void release(Placement placement) {
    if (placement.holdsSlot) {
      releaseSlot(placement.group);
    } else {
      slotlessPermits.release();
      if (!urgent.isEmpty()) {
        wake(); // one of them may have found no permit
      }
    }
  }

  private void releaseSlot(WorkerGroup group) {
    boolean wasFull = group.releaseSlot();
    slots.release();
    if (wasFull && settings.groups().size() > 1) {
      wake(); // the pool may be waiting for work of the other groups
    }
  }

  /** Lets a task that waits for something outside run on without a slot. */
  private void moveOutOfSlot(TaskAttempt attempt) {
    running.computeIfPresent(
        attempt,
        (_, placement) -> {
          if (!placement.holdsSlot || !slotlessPermits.tryAcquire()) {
            return placement;
          }
          releaseSlot(placement.group);
          return new Placement(placement.group, false);
        });
  }

  /**
   * Renews all claims, stops tasks that ran out of time, frees the slots of tasks that wait outside,
   * and releases claims that lost their worker. While the store fails, one claim stands for all:
   * each may take long to fail.
   */
  void heartbeat() {
    unreleased.releaseAgain();
    RuntimeException problem = null;
    for (TaskAttempt attempt : running.keySet()) {
      try {
        if (attempt.isWaitingOutside()) {
          moveOutOfSlot(attempt);
        }
        attempt.stopIfOutOfTime();
        if (!isOfWholeStore(problem)) {
          attempt.heartbeat();
        }
      } catch (StoreBrokenException e) {
        throw e;
      } catch (RuntimeException e) { // the others need theirs, too
        problem = e;
      } catch (Error e) {
        problem = new IllegalStateException(attempt + ": " + e, e);
      }
    }
    boolean worksAgain = heartbeatFailed && problem == null;
    heartbeatFailed = problem != null;
    if (worksAgain) {
      storeRetry.wake();
    }
    if (problem != null) {
      throw problem;
    }
  }

  private static boolean isOfWholeStore(@Nullable RuntimeException problem) {
    return problem instanceof StoreException known && known.trouble() != null;
  }

  /** Wakes the pool's thread so that it looks at the queue again. */
  void wake() {
    zone.interrupt();
  }

  /** Stops the tasks that can be resumed later. */
  void stopResumable() {
    running.forEach(
        (attempt, placement) -> {
          Worker worker = placement.group.worker(attempt.claim().type());
          if (worker != null && worker.resumable()) {
            attempt.stop(Reason.SHUTDOWN);
          }
        });
  }

  /** Whether a task of the job runs here. */
  boolean isRunning(JobId job) {
    return running.keySet().stream().anyMatch(attempt -> attempt.claim().job().equals(job));
  }

  /** Stops all tasks. */
  void stopAll() {
    running.keySet().forEach(attempt -> attempt.stop(Reason.SHUTDOWN));
  }

  /** Releases the tasks of workers that did not stop, and no longer waits for them. */
  void abandonAll() {
    running.keySet().forEach(attempt -> abandon(attempt, "shutdown"));
  }

  private void abandon(TaskAttempt attempt, String reason) {
    try {
      boolean released = processor.abandon(attempt, reason);
      LOG.log(
          Level.WARNING,
          attempt
              + (released
                  ? ": released while the worker still runs; its outcome will be ignored"
                  : ": the store has not answered; the server no longer waits"));
    } catch (StoreBrokenException e) {
      settings.broken().accept(e);
    } catch (RuntimeException | Error e) { // those after it are abandoned, too
      release(attempt.claim());
      LOG.log(Level.ERROR, attempt + " is released", e);
    } finally {
      finish(attempt);
    }
  }

  Collection<TaskAttempt> running() {
    return Collections.unmodifiableSet(running.keySet());
  }

  /** Tokens that tasks have journaled without a model of this server. */
  long journaledTokens() {
    return journaled.sum();
  }

  private Set<String> types() {
    Set<String> types = new HashSet<>();
    settings.groups().forEach(group -> types.addAll(group.types()));
    return types;
  }

  /** Waits so that {@link #wake} can end it; false if it did. */
  private boolean await(ClaimBackoff.BlockingWait waiting) {
    zone.enter();
    try {
      waiting.await();
      return true;
    } catch (InterruptedException e) {
      return false;
    } finally {
      zone.leave();
    }
  }
}
