package dev.millrace.http.jobnik.claim;

import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobStore;
import dev.millrace.http.jobnik.claim.LongPollQueue.Waiter;
import dev.millrace.http.route.Problem;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Serves those who wait for tasks, first come first served in each type. One thread watches the
 * store and, when there may be work, calls the first of each line; who is called claims on its own
 * thread, and who found something calls the next two. So nobody stirs in vain, and when there is
 * work for many, they find it in a few rounds in which they claim side by side: the store makes
 * such claims durable together. (One claim for several would be one round, but a claim has one
 * worker's name.) Those who are called together may overtake each other, and nobody else can.
 * Thread-safe.
 */
public final class TaskDispatcher implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /** Backoffs end without anybody's word. */
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

  public static final int MAX_WAITERS = 10_000;

  private final JobStore store;
  private final int most;
  private final Map<String, LongPollQueue> queues =
      new HashMap<>(); // guarded by this, as all below
  private int waiting;
  private boolean closed;

  private TaskDispatcher(JobStore store, int most) {
    this.store = store;
    this.most = most;
  }

  public static TaskDispatcher start(JobStore store, int mostWaiters) {
    TaskDispatcher dispatcher = new TaskDispatcher(store, mostWaiters);
    Thread.ofPlatform().name("millrace-dispatch").daemon().start(dispatcher::watch);
    return dispatcher;
  }

  /**
   * Claims what is there, or waits for it. Empty if there is nothing, time is up, the client is
   * gone or this is closed.
   *
   * @throws Problem if too many wait already
   */
  List<Claim> claim(DequeueRequest order) throws InterruptedException {
    if (!anyWait(order.type())) {
      List<Claim> found = tryClaim(order);
      if (!found.isEmpty() || order.maxWait().isZero()) {
        return found;
      }
    }
    return order.maxWait().isZero() ? List.of() : await(order); // nobody overtakes who waits
  }

  private List<Claim> await(DequeueRequest order) throws InterruptedException {
    long end = System.nanoTime() + order.maxWait().toNanos();
    Waiter waiter = join(order.type());
    if (waiter == null) {
      return List.of();
    }
    List<Claim> found = List.of();
    try {
      while (found.isEmpty() && waiter.awaitWake(end - System.nanoTime())) {
        if (isClosed() || order.gone().getAsBoolean()) {
          return List.of();
        }
        found = tryClaim(order);
      }
      return found;
    } finally {
      leave(order.type(), waiter, !found.isEmpty());
    }
  }

  /** Claims what is there for one who has been given some already: nobody waits, or goes first. */
  List<Claim> claimNow(DequeueRequest order) {
    return tryClaim(order);
  }

  private List<Claim> tryClaim(DequeueRequest order) {
    List<Claim> claims = store.claim(order.demand());
    boolean wanted = false;
    try {
      wanted = claims.isEmpty() || !order.gone().getAsBoolean();
    } finally {
      if (!wanted) {
        releaseAll(claims);
      }
    }
    return wanted ? claims : List.of();
  }

  /** Gives tasks back that their client has not got, each on its own: a lease ends what fails. */
  void releaseAll(List<Claim> claims) {
    for (Claim claim : claims) {
      try {
        store.release(claim, "its client was gone before it had the task");
      } catch (RuntimeException e) {
        LOG.log(
            Level.WARNING,
            "task "
                + claim
                + " was not handed out and waits for the end of its lease: "
                + e.getMessage());
      }
    }
  }

  public synchronized int waiting() {
    return waiting;
  }

  private synchronized boolean anyWait(String type) {
    return queues.containsKey(type);
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private synchronized @Nullable Waiter join(String type) {
    if (closed) {
      return null;
    }
    if (waiting == most) {
      throw new Problem(
          Problem.Kind.UNAVAILABLE,
          null,
          "as many as " + most + " wait for tasks already; ask again later, or without \"wait\"",
          null,
          Map.of("Retry-After", "5"));
    }
    waiting++;
    notifyAll();
    return queues.computeIfAbsent(type, _ -> new LongPollQueue()).join();
  }

  /** Who leaves calls others: what it was called for may be more than it took. */
  private synchronized void leave(String type, Waiter waiter, boolean served) {
    waiting--;
    LongPollQueue line = queues.get(type);
    line.leave(waiter);
    if (served) {
      line.wake(2);
    } else {
      line.wakeFirst();
    }
    if (line.isEmpty()) {
      queues.remove(type);
    }
  }

  private void watch() {
    long seen = 0;
    boolean failing = false;
    try {
      while (awaitWaiters()) {
        try {
          seen = store.awaitWork(seen, POLL_INTERVAL);
          failing = false;
        } catch (RuntimeException | Error e) { // nobody else would watch
          if (!failing) {
            LOG.log(Level.WARNING, "cannot watch for tasks, looks now and then: " + e.getMessage());
          }
          failing = true;
          Thread.sleep(POLL_INTERVAL);
        }
        wakeFirst();
      }
    } catch (InterruptedException e) {
      LOG.log(Level.WARNING, "the dispatcher was interrupted by a stranger and ends");
      close();
    }
  }

  private synchronized boolean awaitWaiters() throws InterruptedException {
    while (!closed && queues.isEmpty()) {
      wait();
    }
    return !closed;
  }

  private synchronized void wakeFirst() {
    queues.values().forEach(LongPollQueue::wakeFirst);
  }

  /** Ends all waiting, with nothing found. */
  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
    queues.values().forEach(line -> line.wake(Integer.MAX_VALUE));
  }
}
