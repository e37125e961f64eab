package dev.millrace.cluster.internal.link;

import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Messages that wait for one link, bounded in bytes; who would put more waits. One thread takes
 * them out.
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

  /** A message counts until it is {@link #written}. False where it closed before there was room. */
  boolean put(NodeMessage message) throws InterruptedException {
    long size = MessageWriter.size(message);
    lock.lockInterruptibly();
    try {
      // One that is larger than all the room may go alone.
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

  /** The next one, or null after so long, or where it is closed. */
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

  /** Tells that a message taken before is on its way; gives the next where there is one. */
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

  /** What waits is dropped. */
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
