package dev.millrace.http.jobnik.claim;

import dev.millrace.core.internal.thread.MonitoredThreads;
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
 * Gives tasks to waiting requests, first come first served for each stage type. One thread watches
 * the store and wakes the first waiter of each queue when there may be work. A waiter claims on its
 * own thread; one that finds a task wakes the next two. So there are few useless wake-ups, and when
 * there are many tasks, the waiters claim them in parallel in a few rounds, and the store writes
 * these claims in one group commit. (One claim for several waiters is not possible, because a claim
 * has the name of one worker.) Only waiters that are woken together can overtake each other.
 * Thread-safe.
 */
public final class TaskDispatcher implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /** The store does not notify when a backoff ends. */
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

  private final JobStore store;

  /** By stage type; guarded by this, as all fields below. */
  private final Map<String, LongPollQueue> queues = new HashMap<>();

  private int waiting;
  private boolean closed;

  private TaskDispatcher(JobStore store) {
    this.store = store;
  }

  public static TaskDispatcher start(JobStore store) {
    TaskDispatcher dispatcher = new TaskDispatcher(store);
    MonitoredThreads.service("millrace-dispatch").start(dispatcher::watch);
    return dispatcher;
  }

  /**
   * Claims tasks, or waits for them. Empty if the time is up, the client has disconnected, or the
   * dispatcher is closed.
   *
   * @throws Problem if too many requests wait
   */
  List<Claim> claim(DequeueRequest request) throws InterruptedException {
    if (!hasWaiters(request.type())) {
      List<Claim> found = tryClaim(request);
      if (!found.isEmpty() || request.maxWait().isZero()) {
        return found;
      }
    }
    return request.maxWait().isZero() ? List.of() : await(request); // do not overtake waiters
  }

  private List<Claim> await(DequeueRequest request) throws InterruptedException {
    request.beforeWait().run();
    long end = System.nanoTime() + request.maxWait().toNanos();
    Waiter waiter = join(request.type());
    if (waiter == null) {
      return List.of();
    }
    List<Claim> found = List.of();
    try {
      while (found.isEmpty() && waiter.awaitWake(end - System.nanoTime())) {
        if (isClosed() || request.clientGone().getAsBoolean()) {
          return List.of();
        }
        found = tryClaim(request);
      }
      return found;
    } finally {
      leave(request.type(), waiter, !found.isEmpty());
    }
  }

  /** Claims more tasks for a request that already has some, without waiting. */
  List<Claim> claimNow(DequeueRequest request) {
    return tryClaim(request);
  }

  private List<Claim> tryClaim(DequeueRequest request) {
    List<Claim> claims = store.claim(request.toClaimRequest());
    boolean deliverable = false;
    try {
      deliverable = claims.isEmpty() || !request.clientGone().getAsBoolean();
    } finally {
      if (!deliverable) {
        releaseAll(claims);
      }
    }
    return deliverable ? claims : List.of();
  }

  /** Releases tasks that their client did not get; where a release fails, the lease expires. */
  void releaseAll(List<Claim> claims) {
    for (Claim claim : claims) {
      try {
        store.release(claim, "the client disconnected, or lost its key, before it got the task");
      } catch (RuntimeException e) {
        LOG.log(
            Level.WARNING,
            "task "
                + claim
                + " not delivered and not released, waits for its lease to expire: "
                + e.getMessage());
      }
    }
  }

  public synchronized int waiting() {
    return waiting;
  }

  private synchronized boolean hasWaiters(String type) {
    return queues.containsKey(type);
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private synchronized @Nullable Waiter join(String type) {
    if (closed) {
      return null;
    }
    waiting++;
    notifyAll();
    return queues.computeIfAbsent(type, _ -> new LongPollQueue()).join();
  }

  /** A waiter that leaves wakes others: there may be more tasks than it has claimed. */
  private synchronized void leave(String type, Waiter waiter, boolean served) {
    waiting--;
    LongPollQueue queue = queues.get(type);
    queue.leave(waiter);
    if (served) {
      queue.wake(2);
    } else {
      queue.wakeFirst();
    }
    if (queue.isEmpty()) {
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
        } catch (RuntimeException | Error e) { // this thread must not end
          if (!failing) {
            LOG.log(
                Level.WARNING,
                "cannot watch the store for tasks, polling instead: " + e.getMessage());
          }
          failing = true;
          Thread.sleep(POLL_INTERVAL);
        }
        wakeFirst();
      }
    } catch (InterruptedException e) {
      LOG.log(Level.WARNING, "unexpected interrupt of the task dispatcher, stopping it");
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

  /** Ends all waits without a task. */
  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
    queues.values().forEach(queue -> queue.wake(Integer.MAX_VALUE));
  }
}
