package dev.millrace.core.internal.concurrent;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * The locks, timed waits and threads of a store. A test replaces it by a scheduler that runs the
 * store's threads one at a time, in an order that a seed decides. That needs a rule: code that waits
 * for a file operation, for another lock or for time holds locks from here, never a monitor.
 */
public interface Threading {
  /** What the virtual machine has. */
  Threading SYSTEM = new SystemThreading();

  /** A new lock; so are its conditions. */
  ReentrantLock newLock();

  /** A time in nanoseconds to measure durations with, as {@link System#nanoTime}. */
  long nanoTime();

  /** Waits. */
  void sleep(Duration time) throws InterruptedException;

  /** Starts a daemon thread of low priority. */
  void startInBackground(String name, Runnable work);

  /** Locks for keys of any number: equal keys share one. */
  default List<ReentrantLock> newLocks(int count) {
    return Stream.generate(this::newLock).limit(count).toList();
  }
}
