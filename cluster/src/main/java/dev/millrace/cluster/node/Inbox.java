package dev.millrace.cluster.node;

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
final class Inbox {
  /** So many errands may wait; a peer that brings more waits too. */
  static final int MOST_ERRANDS = 1024;

  /** So many frames of a lane that are no steps may wait. */
  static final int MOST_SMALL = 4096;

  private record Item(boolean step, Runnable work) {}

  /** The frames of one session. */
  final class Lane {
    private final int mostSteps;
    private final Deque<Item> items = new ArrayDeque<>();
    private int steps;
    private boolean closed;

    private Lane(int mostSteps) {
      this.mostSteps = mostSteps;
    }

    /**
     * Leaves a frame's work.
     *
     * @param step whether it counts as one of the steps that the session may have under way
     * @return false where the lane has more than it may have, and closes
     */
    boolean put(boolean step, Runnable work) {
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
    void close() {
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
  private final Deque<Lane> waiting = new ArrayDeque<>(); // those with frames, the next one first
  private boolean closed;

  /** A lane that holds at most so many steps. */
  Lane lane(int mostSteps) {
    return new Lane(mostSteps);
  }

  /** Leaves an errand; false once closed. */
  boolean put(Runnable errand) {
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
  void putWaiting(Runnable errand) {
    lock.lock();
    try {
      while (errands.size() >= MOST_ERRANDS && !closed) {
        room.awaitUninterruptibly();
      }
      put(errand);
    } finally {
      lock.unlock();
    }
  }

  /** What is to be done next; null where nothing came for so long, or all is over. */
  @Nullable Runnable take(long patience, TimeUnit unit) throws InterruptedException {
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
      Lane lane = waiting.poll();
      return lane == null ? null : lane.next();
    } finally {
      lock.unlock();
    }
  }

  boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** Refuses what comes from now on, and drops frames; errands that are here may still be taken. */
  void close() {
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
