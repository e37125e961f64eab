package dev.millrace.cluster.internal.layers;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Work for the compute thread: tasks, which come first and in order, and frames, in one lane per
 * session. Lanes take turns, one frame each, so an origin waits for at most one frame of every
 * other.
 */
public final class ComputeQueue {
  /** Tasks that may wait; a peer that adds more waits too. */
  static final int MAX_TASKS = 1024;

  /** Frames of a lane that may wait, steps not counted. */
  static final int MAX_OTHER_FRAMES = 4096;

  private record Item(boolean step, Runnable work) {}

  /** The frames of one session. */
  public final class SessionLane {
    private final int maxSteps;
    private final Deque<Item> items = new ArrayDeque<>();
    private int steps;
    private boolean closed;

    private SessionLane(int maxSteps) {
      this.maxSteps = maxSteps;
    }

    /**
     * Adds the work of a frame.
     *
     * @param step whether it counts as a step in flight
     * @return false if the lane is full; it is closed then
     */
    public boolean put(boolean step, Runnable work) {
      lock.lock();
      try {
        if (closed) {
          return true; // the session has ended
        }
        if (step ? steps == maxSteps : items.size() - steps == MAX_OTHER_FRAMES) {
          empty();
          return false;
        }
        if (items.isEmpty()) {
          waiting.add(this);
        }
        items.add(new Item(step, work));
        steps += step ? 1 : 0;
        workAdded.signal();
        return true;
      } finally {
        lock.unlock();
      }
    }

    /** Drops all waiting frames and those to come. */
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
  private final Condition workAdded = lock.newCondition();
  private final Condition room = lock.newCondition();
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final Deque<SessionLane> waiting =
      new ArrayDeque<>(); // lanes with frames, the next one first
  private boolean closed;

  /** A lane that holds at most so many steps. */
  public SessionLane openLane(int maxSteps) {
    return new SessionLane(maxSteps);
  }

  /** Adds a task; false once closed. */
  public boolean addTask(Runnable task) {
    lock.lock();
    try {
      if (!closed) {
        tasks.add(task);
        workAdded.signal();
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Adds a peer's task; waits while there are too many. */
  public void addTaskOrWait(Runnable task) {
    lock.lock();
    try {
      while (tasks.size() >= MAX_TASKS && !closed) {
        room.awaitUninterruptibly();
      }
      addTask(task);
    } finally {
      lock.unlock();
    }
  }

  /** The next work; null after so long, or if the queue is closed and empty. */
  public @Nullable Runnable take(long timeout, TimeUnit unit) throws InterruptedException {
    long left = unit.toNanos(timeout);
    lock.lockInterruptibly();
    try {
      while (tasks.isEmpty() && waiting.isEmpty() && !closed && left > 0) {
        left = workAdded.awaitNanos(left);
      }
      if (!tasks.isEmpty()) {
        room.signal();
        return tasks.remove();
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

  /** Refuses new work and drops frames; waiting tasks can still be taken. */
  public void close() {
    lock.lock();
    try {
      closed = true;
      waiting.clear();
      workAdded.signalAll();
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
