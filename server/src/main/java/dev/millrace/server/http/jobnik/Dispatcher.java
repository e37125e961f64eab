package dev.millrace.server.http.jobnik;

import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobStore;
import dev.millrace.server.http.Problem;
import dev.millrace.server.http.jobnik.Line.Waiter;
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
final class Dispatcher implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /** Backoffs end without anybody's word. */
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  static final int MOST_WAITERS = 10_000;

  private final JobStore store;
  private final int most;
  private final Map<String, Line> lines = new HashMap<>(); // guarded by this, as all below
  private int waiting;
  private boolean closed;

  private Dispatcher(JobStore store, int most) {
    this.store = store;
    this.most = most;
  }

  static Dispatcher start(JobStore store, int mostWaiters) {
    Dispatcher dispatcher = new Dispatcher(store, mostWaiters);
    Thread.ofPlatform().name("millrace-dispatch").daemon().start(dispatcher::watch);
    return dispatcher;
  }

  /**
   * Claims what is there, or waits for it. Empty if there is nothing, time is up, the client is
   * gone or this is closed.
   *
   * @throws Problem if too many wait already
   */
  List<Claim> claim(Order order) throws InterruptedException {
    if (!anyWait(order.type())) {
      List<Claim> found = look(order);
      if (!found.isEmpty() || order.patience().isZero()) {
        return found;
      }
    }
    return order.patience().isZero() ? List.of() : await(order); // nobody overtakes who waits
  }

  private List<Claim> await(Order order) throws InterruptedException {
    long end = System.nanoTime() + order.patience().toNanos();
    Waiter waiter = join(order.type());
    if (waiter == null) {
      return List.of();
    }
    List<Claim> found = List.of();
    try {
      while (found.isEmpty() && waiter.awaitCall(end - System.nanoTime())) {
        if (isClosed() || order.gone().getAsBoolean()) {
          return List.of();
        }
        found = look(order);
      }
      return found;
    } finally {
      leave(order.type(), waiter, !found.isEmpty());
    }
  }

  /** Claims what is there for one who has been given some already: nobody waits, or goes first. */
  List<Claim> more(Order order) {
    return look(order);
  }

  private List<Claim> look(Order order) {
    List<Claim> claims = store.claim(order.demand());
    boolean wanted = false;
    try {
      wanted = claims.isEmpty() || !order.gone().getAsBoolean();
    } finally {
      if (!wanted) {
        takeBack(claims);
      }
    }
    return wanted ? claims : List.of();
  }

  /** Gives tasks back that their client has not got, each on its own: a lease ends what fails. */
  void takeBack(List<Claim> claims) {
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

  synchronized int waiting() {
    return waiting;
  }

  private synchronized boolean anyWait(String type) {
    return lines.containsKey(type);
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
    return lines.computeIfAbsent(type, _ -> new Line()).join();
  }

  /** Who leaves calls others: what it was called for may be more than it took. */
  private synchronized void leave(String type, Waiter waiter, boolean served) {
    waiting--;
    Line line = lines.get(type);
    line.leave(waiter);
    if (served) {
      line.call(2);
    } else {
      line.callFirst();
    }
    if (line.isEmpty()) {
      lines.remove(type);
    }
  }

  private void watch() {
    long seen = 0;
    boolean failing = false;
    try {
      while (awaitWaiters()) {
        try {
          seen = store.awaitWork(seen, LOOK_AGAIN);
          failing = false;
        } catch (RuntimeException | Error e) { // nobody else would watch
          if (!failing) {
            LOG.log(Level.WARNING, "cannot watch for tasks, looks now and then: " + e.getMessage());
          }
          failing = true;
          Thread.sleep(LOOK_AGAIN);
        }
        callFirst();
      }
    } catch (InterruptedException e) {
      LOG.log(Level.WARNING, "the dispatcher was interrupted by a stranger and ends");
      close();
    }
  }

  private synchronized boolean awaitWaiters() throws InterruptedException {
    while (!closed && lines.isEmpty()) {
      wait();
    }
    return !closed;
  }

  private synchronized void callFirst() {
    lines.values().forEach(Line::callFirst);
  }

  /** Ends all waiting, with nothing found. */
  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
    lines.values().forEach(line -> line.call(Integer.MAX_VALUE));
  }
}
