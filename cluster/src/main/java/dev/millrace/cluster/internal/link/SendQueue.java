package dev.millrace.cluster.internal.link;

import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Messages that wait for one link, bounded in bytes; a sender waits while it is full. One thread
 * takes them.
 */
final class SendQueue {
  private final long capacity;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition filled = lock.newCondition();
  private final Condition room = lock.newCondition();
  private final ArrayDeque<NodeMessage> waiting = new ArrayDeque<>();
  private long bytes;
  private boolean closed;

  SendQueue(long capacity) {
    this.capacity = capacity;
  }

  /**
   * Adds a message, which counts until it is {@link #written}. False if the queue closed before
   * there was room.
   */
  boolean put(NodeMessage message) throws InterruptedException {
    long size = MessageWriter.size(message);
    lock.lockInterruptibly();
    try {
      // A message larger than the capacity may go alone.
      while (!closed && bytes > 0 && bytes + size > capacity) {
        room.await();
      }
      if (closed) {
        return false;
      }
      waiting.add(message);
      bytes += size;
      filled.signal();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** The next message; null after so long, or once closed. */
  @Nullable NodeMessage take(long nanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = nanos;
      while (!closed && waiting.isEmpty() && left > 0) {
        left = filled.awaitNanos(left);
      }
      return closed ? null : waiting.poll();
    } finally {
      lock.unlock();
    }
  }

  /** A message that was taken is written; returns the next one, or null. */
  @Nullable NodeMessage written(NodeMessage message) {
    lock.lock();
    try {
      bytes -= MessageWriter.size(message);
      room.signalAll();
      return closed ? null : waiting.poll();
    } finally {
      lock.unlock();
    }
  }

  boolean closed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** Drops all waiting messages. */
  void close() {
    lock.lock();
    try {
      closed = true;
      waiting.clear();
      filled.signalAll();
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
