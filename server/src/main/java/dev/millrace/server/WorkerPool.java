package dev.millrace.server;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.server.TaskAttempt.Step;
import dev.millrace.server.TaskAttempt.StopReason;
import dev.millrace.server.internal.InterruptZone;
import dev.millrace.server.internal.StoreRetry;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Claims tasks for the types it has workers for, never more than their group has free slots, and
 * gives each a thread of its own. {@link #run} is the pool's thread and the only one that claims;
 * everything else may be called from any.
 */
final class WorkerPool {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  /** Tasks without a slot; who waits outside beyond that keeps his. */
  private static final int MAX_SLOTLESS = 2_048;

  private final JobStore store;
  private final Settings settings;
  private final ServerLifecycle lifecycle;
  private final TaskProcessor processor;
  private final StoreRetry storeRetry;
  private final Map<TaskAttempt, Placement> running = new ConcurrentHashMap<>();
  private final Semaphore slots; // a permit is a free slot, whichever group has it
  private final Semaphore slotlessPermits = new Semaphore(MAX_SLOTLESS);
  private final InterruptZone zone = new InterruptZone(); // where the pool's thread waits
  private final ClaimBackoff pace = new ClaimBackoff();
  private int failures; // of the store in a row; of the pool's thread
  private long claimed; // of the pool's thread
  private long seen; // of the queue; of the pool's thread

  /**
   * @param name of the worker, in the jobs' logs
   * @param broken is told when the store is
   */
  record Settings(
      String name,
      List<WorkerGroup> groups,
      InstantSource clock,
      Consumer<StoreBrokenException> broken) {

    /** Of all groups together. */
    int slots() {
      return groups.stream().mapToInt(WorkerGroup::slots).sum();
    }
  }

  /**
   * Where a task runs.
   *
   * @param slot whether it has one of its group's; else it stands aside
   */
  private record Placement(WorkerGroup group, boolean holdsSlot) {}

  WorkerPool(
      JobStore store,
      Settings settings,
      ServerLifecycle lifecycle,
      TaskProcessor processor,
      StoreRetry trouble) {
    this.store = store;
    this.settings = settings;
    this.lifecycle = lifecycle;
    this.processor = processor;
    this.storeRetry = trouble;
    this.slots = new Semaphore(settings.slots());
  }

  /** Works until the server stops; returns when nothing runs any more. */
  void run() {
    while (lifecycle.state().claims()) {
      try {
        claimOnce();
        storeRetry.failureEnded(this);
        failures = 0;
      } catch (StoreBrokenException e) {
        settings.broken().accept(e);
      } catch (RuntimeException e) {
        storeRetry.failureBegan(this, e);
        await(() -> Thread.sleep(StoreRetry.retryDelay(failures++)));
      }
    }
    storeRetry.failureEnded(this);
    slots.acquireUninterruptibly(settings.slots());
    slotlessPermits.acquireUninterruptibly(MAX_SLOTLESS);
  }

  /** One look at the queue. While its claims become durable, running tasks commit theirs. */
  private void claimOnce() {
    if (storeRetry.isFailingForOthers(this)) {
      await(() -> Thread.sleep(StoreRetry.retryDelay(0)));
      return;
    }
    if (settings.slots() > 0) { // else others claim, and this only waits for the end
      if (!await(slots::acquire)) {
        return;
      }
      slots.release(); // it was only to know that there is one
    }
    int claims = 0;
    for (WorkerGroup group : settings.groups()) {
      claims += group.freeSlots() == 0 ? 0 : claim(group);
    }
    if (claims == 0) {
      awaitWork();
    } else {
      pace.reset();
    }
  }

  private int claim(WorkerGroup group) {
    Set<String> types = group.readyTypes();
    if (types.isEmpty()) {
      return 0; // whose worker turns ready wakes this thread
    }
    ClaimRequest demand = new ClaimRequest(types, group.freeSlots(), settings.name(), null);
    List<Claim> claims = store.claim(demand);
    group.takeSlots(claims.size());
    slots.acquireUninterruptibly(claims.size()); // which are there
    claims.forEach(claim -> dispatch(claim, group));
    return claims.size();
  }

  private void awaitWork() {
    boolean drains = lifecycle.state() == ServerState.DRAINING;
    if (drains && running.isEmpty() && store.isIdle(types())) {
      lifecycle.tryMove(ServerEvent.IDLE);
      return;
    }
    await(() -> pace.await(() -> seen = store.awaitWork(seen, LOOK_AGAIN)));
  }

  private void dispatch(Claim claim, WorkerGroup group) {
    TaskAttempt attempt = new TaskAttempt(claim, claimed++, store, storeRetry, settings.clock());
    running.put(attempt, new Placement(group, true));
    // Looked at after adding: whoever stops the server stops this attempt, or it is seen here.
    if (!lifecycle.state().claims()) {
      attempt.stop(StopReason.SHUTDOWN);
    }
    try {
      thread(group.worker(claim.type())).name("task-" + claim).start(() -> process(attempt));
    } catch (OutOfMemoryError e) { // which is how a system says that it has no thread to spare
      LOG.log(Level.ERROR, attempt + ": no thread for it", e);
      abandon(attempt, "no thread to spare");
    }
  }

  private static Thread.Builder thread(@Nullable Worker worker) {
    return worker != null && worker.threading() == Worker.Threading.PLATFORM
        ? Thread.ofPlatform().daemon()
        : Thread.ofVirtual();
  }

  private void process(TaskAttempt attempt) {
    try {
      processor.process(attempt);
    } catch (StoreBrokenException e) {
      settings.broken().accept(e);
    } finally {
      finish(attempt);
    }
  }

  private void finish(TaskAttempt attempt) {
    if (attempt.advance(Step.END)) {
      Placement place = Objects.requireNonNull(running.remove(attempt));
      if (place.holdsSlot) {
        releaseSlot(place.group);
      } else {
        slotlessPermits.release();
      }
      if (running.isEmpty() && lifecycle.state() == ServerState.DRAINING) {
        wake();
      }
    }
  }

  private void releaseSlot(WorkerGroup group) {
    boolean wasFull = group.releaseSlot();
    slots.release();
    if (wasFull && settings.groups().size() > 1) {
      wake(); // it may be waiting for work of the other groups
    }
  }

  /** A task that waits for what is not here gives its slot back, and does without. */
  private void moveOutOfSlot(TaskAttempt attempt) {
    running.computeIfPresent(
        attempt,
        (_, place) -> {
          if (!place.holdsSlot || !slotlessPermits.tryAcquire()) {
            return place;
          }
          releaseSlot(place.group);
          return new Placement(place.group, false);
        });
  }

  /** How the claims stand, who is over his time, and who waits for something outside. */
  void heartbeat() {
    StoreException problem = null;
    for (TaskAttempt attempt : running.keySet()) {
      if (attempt.isWaitingOutside()) {
        moveOutOfSlot(attempt);
      }
      try {
        attempt.heartbeat(settings.clock().instant());
      } catch (StoreException e) {
        problem = e;
      }
    }
    if (problem != null) {
      throw problem;
    }
  }

  /** Makes the pool's thread look around. */
  void wake() {
    zone.interrupt();
  }

  /** Tells the workers to stop whose tasks lose nothing by it. */
  void stopResumable() {
    running.forEach(
        (attempt, place) -> {
          Worker worker = place.group.worker(attempt.claim().type());
          if (worker != null && worker.resumable()) {
            attempt.stop(StopReason.SHUTDOWN);
          }
        });
  }

  /** Whether a task of the job runs here. */
  boolean isRunning(JobId job) {
    return running.keySet().stream().anyMatch(attempt -> attempt.claim().job().equals(job));
  }

  /** Tells every worker to stop. */
  void stopAll() {
    running.keySet().forEach(attempt -> attempt.stop(StopReason.SHUTDOWN));
  }

  /** Releases the tasks of workers that do not obey, and no longer waits for them. */
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
                  ? ": released while its worker goes on; what that still does will not count"
                  : ": the store has not answered yet and is no longer waited for"));
    } catch (StoreBrokenException e) {
      settings.broken().accept(e);
    } finally {
      finish(attempt);
    }
  }

  Collection<TaskAttempt> running() {
    return Collections.unmodifiableSet(running.keySet());
  }

  private Set<String> types() {
    Set<String> types = new HashSet<>();
    settings.groups().forEach(group -> types.addAll(group.types()));
    return types;
  }

  /** Something that waits. */
  @FunctionalInterface
  interface BlockingWait {
    void await() throws InterruptedException;
  }

  /** Waits where the pool's thread may be woken; false if it was. */
  private boolean await(BlockingWait waiting) {
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
