package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.error.EngineClosedException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Where other threads leave things for the wheels': sequences, errands, and word that something is
 * wished.
 */
final class WheelInbox {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private final Deque<Sequence> sequences = new ArrayDeque<>();
  private final Deque<Runnable> errands = new ArrayDeque<>();
  private boolean noted;
  private boolean closed;

  /** Refused once closed. */
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

  /** Something that the wheels' thread is to do; dropped once closed. */
  void put(Runnable errand) {
    lock.lock();
    try {
      if (!closed) {
        errands.add(errand);
        signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Word that the wheel should look around. */
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
      errands.clear();
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
      return errands.poll();
    } finally {
      lock.unlock();
    }
  }

  /** Whether anything was left since this was asked last. */
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
   * Waits until something is left; returns at once where something was left since {@link
   * #takeNote}, and when closed: that note may have been taken already.
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
