package dev.millrace.server;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Demand;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreBroken;
import dev.millrace.core.store.StoreException;
import dev.millrace.server.Attempt.Step;
import dev.millrace.server.Attempt.Stop;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/**
 * Claims tasks for the types it has workers for, never more than it has free slots, and gives each
 * a thread of its own. {@link #run} is the pool's thread and the only one that claims; everything
 * else may be called from any.
 */
final class Pool {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  private final JobStore store;
  private final Settings settings;
  private final Lifecycle lifecycle;
  private final Processor processor;
  private final StoreTrouble trouble;
  private final Set<Attempt> running = ConcurrentHashMap.newKeySet();
  private final Semaphore slots; // a permit is a free slot
  private final InterruptZone zone = new InterruptZone(); // where the pool's thread waits
  private final Pace pace = new Pace();
  private int failures; // of the store in a row; of the pool's thread
  private long claimed; // of the pool's thread

  /**
   * @param name of the worker, in the jobs' logs
   * @param broken is told when the store is
   */
  record Settings(
      String name,
      Map<String, Worker> workers,
      int slots,
      InstantSource clock,
      Consumer<StoreBroken> broken) {}

  Pool(
      JobStore store,
      Settings settings,
      Lifecycle lifecycle,
      Processor processor,
      StoreTrouble trouble) {
    this.store = store;
    this.settings = settings;
    this.lifecycle = lifecycle;
    this.processor = processor;
    this.trouble = trouble;
    this.slots = new Semaphore(settings.slots());
  }

  /** Works until the server stops; returns when nothing runs any more. */
  void run() {
    while (lifecycle.state().claims()) {
      try {
        turn();
        trouble.ends(this);
        failures = 0;
      } catch (StoreBroken e) {
        settings.broken().accept(e);
      } catch (RuntimeException e) {
        trouble.begins(this, e);
        await(() -> Thread.sleep(StoreTrouble.wait(failures++)));
      }
    }
    trouble.ends(this);
    slots.acquireUninterruptibly(settings.slots());
  }

  /** One look at the queue. While its claims become durable, running tasks commit theirs. */
  private void turn() {
    if (trouble.hitsOthersThan(this)) {
      await(() -> Thread.sleep(StoreTrouble.wait(0)));
      return;
    }
    if (!await(slots::acquire)) {
      return;
    }
    int free = 1 + slots.drainPermits();
    List<Claim> claims = List.of();
    try {
      claims = store.claim(new Demand(types(), free, settings.name(), null));
    } finally {
      slots.release(free - claims.size());
    }
    if (claims.isEmpty()) {
      awaitWork();
    } else {
      pace.worked();
      claims.forEach(this::dispatch);
    }
  }

  private void awaitWork() {
    boolean drains = lifecycle.state() == ServerState.DRAINING;
    if (drains && running.isEmpty() && store.idle(types())) {
      lifecycle.tryMove(ServerEvent.IDLE);
      return;
    }
    await(() -> pace.await(() -> store.awaitWork(LOOK_AGAIN)));
  }

  private void dispatch(Claim claim) {
    Attempt attempt = new Attempt(claim, claimed++, store, trouble, settings.clock());
    running.add(attempt);
    // Looked at after adding: whoever stops the server stops this attempt, or it is seen here.
    if (!lifecycle.state().claims()) {
      attempt.stop(Stop.SHUTDOWN);
    }
    try {
      thread(claim).name("task-" + claim).start(() -> process(attempt));
    } catch (OutOfMemoryError e) { // which is how a system says that it has no thread to spare
      LOG.log(Level.ERROR, attempt + ": no thread for it", e);
      abandon(attempt, "no thread to spare");
    }
  }

  private Thread.Builder thread(Claim claim) {
    Worker worker = settings.workers().get(claim.type());
    return worker != null && worker.threading() == Worker.Threading.PLATFORM
        ? Thread.ofPlatform().daemon()
        : Thread.ofVirtual();
  }

  private void process(Attempt attempt) {
    try {
      processor.process(attempt);
    } catch (StoreBroken e) {
      settings.broken().accept(e);
    } finally {
      finish(attempt);
    }
  }

  private void finish(Attempt attempt) {
    if (attempt.advance(Step.END)) {
      running.remove(attempt);
      slots.release();
      if (running.isEmpty() && lifecycle.state() == ServerState.DRAINING) {
        wake();
      }
    }
  }

  /** How the claims stand, and who is over his time. */
  void beat() {
    StoreException problem = null;
    for (Attempt attempt : running) {
      try {
        attempt.beat(settings.clock().instant());
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
    running.stream()
        .filter(attempt -> resumable(attempt.claim()))
        .forEach(attempt -> attempt.stop(Stop.SHUTDOWN));
  }

  private boolean resumable(Claim claim) {
    Worker worker = settings.workers().get(claim.type());
    return worker != null && worker.resumable();
  }

  /** Whether a task of the job runs here. */
  boolean runs(JobId job) {
    return running.stream().anyMatch(attempt -> attempt.claim().job().equals(job));
  }

  /** Tells every worker to stop. */
  void stopAll() {
    running.forEach(attempt -> attempt.stop(Stop.SHUTDOWN));
  }

  /** Releases the tasks of workers that do not obey, and no longer waits for them. */
  void abandonAll() {
    running.forEach(attempt -> abandon(attempt, "shutdown"));
  }

  private void abandon(Attempt attempt, String reason) {
    try {
      boolean released = processor.abandon(attempt, reason);
      LOG.log(
          Level.WARNING,
          attempt
              + (released
                  ? ": released while its worker goes on; what that still does will not count"
                  : ": the store has not answered yet and is no longer waited for"));
    } catch (StoreBroken e) {
      settings.broken().accept(e);
    } finally {
      finish(attempt);
    }
  }

  Collection<Attempt> running() {
    return Collections.unmodifiableSet(running);
  }

  private Set<String> types() {
    return settings.workers().keySet();
  }

  /** Something that waits. */
  @FunctionalInterface
  interface Waiting {
    void await() throws InterruptedException;
  }

  /** Waits where the pool's thread may be woken; false if it was. */
  private boolean await(Waiting waiting) {
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
