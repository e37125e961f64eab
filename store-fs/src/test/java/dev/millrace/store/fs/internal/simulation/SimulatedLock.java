package dev.millrace.store.fs.internal.simulation;

import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A lock whose holder the scheduler decides. Acquiring and releasing it are steps. */
final class SimulatedLock extends ReentrantLock {
  private static final long serialVersionUID = 1L;

  private final transient Scheduler scheduler;
  private final String name;
  private transient @Nullable SimulatedThread holder;
  private int holds;

  SimulatedLock(Scheduler scheduler, String name) {
    this.scheduler = scheduler;
    this.name = name;
  }

  @Override
  public void lock() {
    if (holder != scheduler.current()) {
      scheduler.step("lock", name);
      acquire(1);
      return;
    }
    holds++;
  }

  private void acquire(int times) {
    while (holder != null) {
      scheduler.await(this, SimulatedThread.NEVER);
    }
    holder = scheduler.current();
    holds = times;
  }

  @Override
  public void lockInterruptibly() {
    lock(); // the simulation interrupts nobody
  }

  @Override
  public boolean tryLock() {
    if (holder != scheduler.current()) {
      scheduler.step("try", name);
      if (holder != null) {
        return false;
      }
      acquire(1);
      return true;
    }
    holds++;
    return true;
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) {
    if (tryLock()) {
      return true;
    }
    long deadline = deadline(unit.toNanos(time));
    while (holder != null) {
      if (scheduler.nanoTime() >= deadline) {
        return false;
      }
      scheduler.await(this, deadline);
    }
    acquire(1);
    return true;
  }

  private long deadline(long nanos) {
    long now = scheduler.nanoTime();
    return nanos >= SimulatedThread.NEVER - now ? SimulatedThread.NEVER : now + nanos;
  }

  @Override
  public void unlock() {
    if (scheduler.isKilled()) {
      return; // the process has no more locks
    }
    requireHeld();
    if (--holds == 0) {
      free();
      scheduler.step("unlock", name);
    }
  }

  private void free() {
    holder = null;
    scheduler.wake(this);
  }

  private void requireHeld() {
    if (holder != scheduler.current()) {
      throw new IllegalMonitorStateException(name + " is held by " + holder);
    }
  }

  @Override
  public boolean isHeldByCurrentThread() {
    return holder == scheduler.current();
  }

  @Override
  public boolean isLocked() {
    return holder != null;
  }

  @Override
  public Condition newCondition() {
    return new SimulatedCondition();
  }

  @Override
  public String toString() {
    return name + (holder == null ? "" : " of " + holder);
  }

  private final class SimulatedCondition implements Condition {
    @Override
    public void await() {
      await(SimulatedThread.NEVER);
    }

    private void await(long deadline) {
      requireHeld();
      int times = holds;
      free();
      scheduler.await(this, deadline);
      acquire(times);
    }

    @Override
    public void awaitUninterruptibly() {
      await();
    }

    @Override
    public long awaitNanos(long time) {
      long deadline = deadline(time);
      await(deadline);
      return deadline - scheduler.nanoTime();
    }

    @Override
    public boolean await(long time, TimeUnit unit) {
      return awaitNanos(unit.toNanos(time)) > 0;
    }

    @Override
    public boolean awaitUntil(Date deadline) {
      throw new UnsupportedOperationException("no wall time");
    }

    @Override
    public void signal() {
      requireHeld();
      scheduler.waiting(this).stream().findFirst().ifPresent(this::wake);
    }

    private void wake(SimulatedThread thread) {
      thread.waitsFor = null;
      thread.deadline = SimulatedThread.NEVER;
    }

    @Override
    public void signalAll() {
      requireHeld();
      scheduler.wake(this);
    }

    @Override
    public String toString() {
      return "a signal of " + name;
    }
  }
}
