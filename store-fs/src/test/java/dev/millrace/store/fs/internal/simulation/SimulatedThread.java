package dev.millrace.store.fs.internal.simulation;

import org.jspecify.annotations.Nullable;

/** A thread of the simulated process. Only the thread that has its turn touches any of them. */
final class SimulatedThread {
  /** No deadline. */
  static final long NEVER = Long.MAX_VALUE;

  final int number;
  final String name;
  final Thread thread;

  /** What it waits for; null if it can go on. */
  @Nullable Object waitsFor;

  /** When it goes on whatever happens. */
  long deadline = NEVER;

  boolean ended;

  SimulatedThread(int number, String name, Runnable body) {
    this.number = number;
    this.name = name;
    this.thread = Thread.ofPlatform().daemon().name("sim-" + name).unstarted(body);
  }

  boolean canGoOn(long now) {
    return !ended && (waitsFor == null || deadline <= now);
  }

  @Override
  public String toString() {
    return name;
  }
}
