package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.error.EngineClosedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The inbox of the scheduler's thread: other threads leave new sequences, tasks and wake-ups here.
 */
final class WheelInbox {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private final Deque<Sequence> sequences = new ArrayDeque<>();
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final List<Runnable> onClose = new ArrayList<>();
  private boolean noted;
  private boolean closed;

  /** Adds a sequence; rejected after the close. */
  void put(Sequence sequence) {
    lock.lock();
    try {
      if (closed) {
        throw new EngineClosedException();
      }
      sequences.add(sequence);
      signal();
    } finally {
      lock.unlock();
    }
  }

  /** Adds a task for the scheduler's thread; dropped after the close. */
  void put(Runnable task) {
    lock.lock();
    try {
      if (!closed) {
        tasks.add(task);
        signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds a task that may take long; false if the inbox is closed.
   *
   * @param dropped runs instead of it if the inbox is closed before its turn
   */
  boolean offer(Runnable task, Runnable dropped) {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      tasks.add(task);
      onClose.add(dropped);
      signal();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Whether something waits here, or the inbox is closed. */
  boolean hasMore() {
    lock.lock();
    try {
      return closed || !sequences.isEmpty() || !tasks.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Wakes the scheduler. */
  void wake() {
    lock.lock();
    try {
      signal();
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      tasks.clear();
      onClose.forEach(Runnable::run);
      onClose.clear();
      signal();
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

  private void signal() {
    noted = true;
    news.signalAll();
  }

  @Nullable Sequence nextSequence() {
    lock.lock();
    try {
      return sequences.poll();
    } finally {
      lock.unlock();
    }
  }

  @Nullable Runnable nextTask() {
    lock.lock();
    try {
      return tasks.poll();
    } finally {
      lock.unlock();
    }
  }

  /** Whether anything arrived since the last call. */
  boolean takeSignal() {
    lock.lock();
    try {
      boolean was = noted;
      noted = false;
      return was;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until something arrives; returns at once if something has arrived since {@link
   * #takeSignal}, and after the close.
   */
  void await() throws InterruptedException {
    lock.lock();
    try {
      while (!noted && !closed) {
        news.await();
      }
    } finally {
      lock.unlock();
    }
  }
}
