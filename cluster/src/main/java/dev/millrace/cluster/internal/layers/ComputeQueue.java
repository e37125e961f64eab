package dev.millrace.cluster.internal.layers;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Where other threads leave work for the one that computes: errands, which come first, in their
 * order; and frames, in a lane for each session. Lanes take turns, a frame each, so that no origin
 * waits for more than one frame of every other.
 */
public final class ComputeQueue {
  /** So many errands may wait; a peer that brings more waits too. */
  static final int MOST_ERRANDS = 1024;

  /** So many frames of a lane that are no steps may wait. */
  static final int MOST_SMALL = 4096;

  private record Item(boolean step, Runnable work) {}

  /** The frames of one session. */
  public final class SessionLane {
    private final int mostSteps;
    private final Deque<Item> items = new ArrayDeque<>();
    private int steps;
    private boolean closed;

    private SessionLane(int mostSteps) {
      this.mostSteps = mostSteps;
    }

    /**
     * Leaves a frame's work.
     *
     * @param step whether it counts as one of the steps that the session may have under way
     * @return false where the lane has more than it may have, and closes
     */
    public boolean put(boolean step, Runnable work) {
      lock.lock();
      try {
        if (closed) {
          return true; // of a session that is over
        }
        if (step ? steps == mostSteps : items.size() - steps == MOST_SMALL) {
          empty();
          return false;
        }
        if (items.isEmpty()) {
          waiting.add(this);
        }
        items.add(new Item(step, work));
        steps += step ? 1 : 0;
        news.signal();
        return true;
      } finally {
        lock.unlock();
      }
    }

    /** Drops what waits in it, and what comes. */
    public void close() {
      lock.lock();
      try {
        empty();
      } finally {
        lock.unlock();
      }
    }

    private void empty() {
      closed = true;
      items.clear();
      waiting.remove(this);
    }

    private Runnable next() {
      Item item = items.remove();
      steps -= item.step() ? 1 : 0;
      if (!items.isEmpty()) {
        waiting.add(this);
      }
      return item.work();
    }
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private final Condition room = lock.newCondition();
  private final Deque<Runnable> errands = new ArrayDeque<>();
  private final Deque<SessionLane> waiting =
      new ArrayDeque<>(); // those with frames, the next one first
  private boolean closed;

  /** A lane that holds at most so many steps. */
  public SessionLane openLane(int mostSteps) {
    return new SessionLane(mostSteps);
  }

  /** Leaves an errand; false once closed. */
  public boolean addTask(Runnable errand) {
    lock.lock();
    try {
      if (!closed) {
        errands.add(errand);
        news.signal();
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Leaves a peer's errand: waits while there are too many. */
  public void addTaskOrWait(Runnable errand) {
    lock.lock();
    try {
      while (errands.size() >= MOST_ERRANDS && !closed) {
        room.awaitUninterruptibly();
      }
      addTask(errand);
    } finally {
      lock.unlock();
    }
  }

  /** What is to be done next; null where nothing came for so long, or all is over. */
  public @Nullable Runnable take(long patience, TimeUnit unit) throws InterruptedException {
    long left = unit.toNanos(patience);
    lock.lockInterruptibly();
    try {
      while (errands.isEmpty() && waiting.isEmpty() && !closed && left > 0) {
        left = news.awaitNanos(left);
      }
      if (!errands.isEmpty()) {
        room.signal();
        return errands.remove();
      }
      SessionLane lane = waiting.poll();
      return lane == null ? null : lane.next();
    } finally {
      lock.unlock();
    }
  }

  public boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** Refuses what comes from now on, and drops frames; errands that are here may still be taken. */
  public void close() {
    lock.lock();
    try {
      closed = true;
      waiting.clear();
      news.signalAll();
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
