package dev.millrace.store.fs.internal.simulation;

import dev.millrace.core.internal.concurrent.Threading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Runs the threads of one process one at a time. The thread that has its turn decides at each step,
 * by the seed, which thread goes on. Time advances with the steps, and jumps when all wait.
 */
final class Scheduler implements Threading {
  /** The simulated process has ended: no thread of it goes on. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed() {
      super("the process has ended", null, false, false);
    }
  }

  private static final int LONGEST_STEP_NANOS = 200_000;

  private final RandomGenerator random;
  private final StepTrace trace;
  private final List<SimulatedThread> threads = new ArrayList<>();
  private final CountDownLatch over = new CountDownLatch(1);

  /** How often, of 100 times, another thread gets the turn. */
  private final int switches;

  private volatile @Nullable SimulatedThread running;
  private int ended;
  private int locks;
  private long nanos;
  private boolean killed;
  private @Nullable Throwable failure;

  /**
   * @param nanos the time at which it starts
   */
  Scheduler(RandomGenerator random, StepTrace trace, long nanos) {
    this.random = random;
    this.trace = trace;
    this.nanos = nanos;
    this.switches = List.of(100, 60, 30, 10, 3).get(random.nextInt(5));
  }

  /** Adds a thread; it gets its turn later. */
  SimulatedThread start(String name, Runnable work) {
    SimulatedThread[] own = new SimulatedThread[1];
    own[0] = new SimulatedThread(threads.size() + 1, name, () -> live(own, work));
    threads.add(own[0]);
    own[0].thread.start();
    return own[0];
  }

  @Override
  public void startInBackground(String name, Runnable work) {
    start(name, work);
  }

  /** Runs all threads until they have ended; throws what one of them threw unexpectedly. */
  void run() throws InterruptedException {
    SimulatedThread first = next(null);
    running = first;
    LockSupport.unpark(first.thread);
    over.await();
    if (failure != null) {
      throw new AssertionError(failure.getMessage(), failure);
    }
  }

  private void live(SimulatedThread[] self, Runnable work) {
    SimulatedThread me = self[0];
    awaitTurn(me);
    try {
      if (!killed) {
        work.run();
      }
    } catch (Killed e) {
      // as all others
    } catch (Throwable e) {
      fail(e);
    } finally {
      me.ended = true;
      ended++;
      wake(me);
      if (ended == threads.size()) {
        over.countDown();
      } else {
        SimulatedThread next = next(null);
        running = next;
        LockSupport.unpark(next.thread);
      }
    }
  }

  /** Ends the process because something is wrong. */
  void fail(Throwable problem) {
    if (failure == null && !killed) {
      failure = problem;
    }
    killed = true;
  }

  /** Ends the process: each of its threads stops at its next step. */
  void kill() {
    killed = true;
  }

  boolean isKilled() {
    return killed;
  }

  SimulatedThread current() {
    SimulatedThread now = running;
    if (now == null || now.thread != Thread.currentThread()) {
      throw new IllegalStateException(
          Thread.currentThread() + " runs outside of the simulation; " + now + " has its turn");
    }
    return now;
  }

  /** Gives another thread the chance to go on. */
  void step(String what, Object on) {
    SimulatedThread me = current();
    requireAlive();
    nanos += random.nextInt(LONGEST_STEP_NANOS);
    trace.add(nanos, me.name, what, on);
    if (random.nextInt(100) < switches) {
      giveTurn(me);
    }
  }

  /** Waits until {@link #wake} is called for {@code on}, or until the deadline. */
  void await(Object on, long deadline) {
    SimulatedThread me = current();
    requireAlive();
    trace.add(nanos, me.name, "waits for", on);
    me.waitsFor = on;
    me.deadline = deadline;
    giveTurn(me);
  }

  /** Lets all threads go on that wait for {@code on}. */
  void wake(Object on) {
    for (SimulatedThread thread : threads) {
      if (thread.waitsFor == on) {
        thread.waitsFor = null;
        thread.deadline = SimulatedThread.NEVER;
      }
    }
  }

  /** The threads that wait for {@code on}. */
  List<SimulatedThread> waiting(Object on) {
    return threads.stream().filter(thread -> !thread.ended && thread.waitsFor == on).toList();
  }

  /** Waits until a condition is true that other threads make true; it is tried again now and then. */
  void awaitUntil(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      sleep(Duration.ofMillis(1));
    }
  }

  private void giveTurn(SimulatedThread me) {
    SimulatedThread next = next(me);
    if (next != me) {
      running = next;
      LockSupport.unpark(next.thread);
      awaitTurn(me);
    }
    me.waitsFor = null;
    me.deadline = SimulatedThread.NEVER;
    requireAlive();
  }

  private void awaitTurn(SimulatedThread me) {
    while (running != me) {
      LockSupport.park(this);
    }
  }

  private void requireAlive() {
    if (killed) {
      throw new Killed();
    }
  }

  /** Who goes on. After the end of the process, each thread goes on only to end. */
  private SimulatedThread next(@Nullable SimulatedThread me) {
    if (!killed) {
      List<SimulatedThread> able = able();
      if (able.isEmpty()) {
        nanos =
            threads.stream()
                .filter(one -> !one.ended)
                .mapToLong(one -> one.deadline)
                .min()
                .orElseThrow();
        able = able();
      }
      if (nanos != SimulatedThread.NEVER) {
        return able.get(random.nextInt(able.size()));
      }
      fail(new AssertionError("deadlock: no thread can go on" + waits()));
    }
    return me != null && !me.ended
        ? me
        : threads.stream().filter(one -> !one.ended).findFirst().orElseThrow();
  }

  private List<SimulatedThread> able() {
    return threads.stream().filter(thread -> thread.canGoOn(nanos)).toList();
  }

  private String waits() {
    StringBuilder text = new StringBuilder();
    for (SimulatedThread thread : threads) {
      if (!thread.ended) {
        text.append("\n  ").append(thread).append(" waits for ").append(thread.waitsFor);
        for (StackTraceElement frame : thread.thread.getStackTrace()) {
          if (frame.getClassName().startsWith("dev.millrace")) {
            text.append("\n      at ").append(frame);
          }
        }
      }
    }
    return text.toString();
  }

  @Override
  public ReentrantLock newLock() {
    return new SimulatedLock(this, "lock " + ++locks);
  }

  @Override
  public long nanoTime() {
    return nanos;
  }

  @Override
  public void sleep(Duration time) throws InterruptedException {
    await("time", nanos + Math.max(1, time.toNanos()));
  }
}
