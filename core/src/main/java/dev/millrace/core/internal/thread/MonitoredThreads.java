package dev.millrace.core.internal.thread;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * Starts the threads of Millrace, so that none dies unnoticed. A thread that serves as long as its
 * owner lives should survive an Error of one round. If it dies nevertheless, that is logged, and its
 * name is kept: a server with a dead thread is not ready. The death of a thread that does one piece
 * of work is logged; the other work continues.
 */
public final class MonitoredThreads {
  private static final Set<String> DEAD = new ConcurrentSkipListSet<>();

  private MonitoredThreads() {}

  /** A daemon thread that serves as long as its owner lives; its name contains no ids. */
  public static Thread.Builder.OfPlatform service(String name) {
    return Thread.ofPlatform()
        .daemon()
        .name(name)
        .uncaughtExceptionHandler(MonitoredThreads::serviceDied);
  }

  /** As {@link #service}, a virtual thread. */
  public static Thread.Builder.OfVirtual virtualService(String name) {
    return Thread.ofVirtual().name(name).uncaughtExceptionHandler(MonitoredThreads::serviceDied);
  }

  /** A daemon thread for one piece of work, such as a task. */
  public static Thread.Builder.OfPlatform work() {
    return Thread.ofPlatform().daemon().uncaughtExceptionHandler(MonitoredThreads::workDied);
  }

  /** As {@link #work}, a virtual thread. */
  public static Thread.Builder.OfVirtual virtualWork() {
    return Thread.ofVirtual().uncaughtExceptionHandler(MonitoredThreads::workDied);
  }

  /** Called when a thread has died that serves as long as its owner lives. */
  public static void serviceDied(Thread thread, Throwable reason) {
    DEAD.add(thread.getName()); // first: the log may fail, too
    log()
        .log(
            Level.ERROR,
            "thread " + thread.getName() + " died of " + reason + "; restart this process",
            reason);
  }

  /** Called when a thread has died that did one piece of work. */
  public static void workDied(Thread thread, Throwable reason) {
    log().log(Level.ERROR, "thread " + thread.getName() + " died", reason);
  }

  /** Looked up only now: a short command starts threads, but no logging. */
  private static Logger log() {
    return System.getLogger("dev.millrace.server");
  }

  /** The names of the service threads that have died in this process, sorted. */
  public static List<String> dead() {
    return List.copyOf(DEAD);
  }

  /** For tests, which outlive the threads that they kill. */
  public static void forget(String name) {
    DEAD.remove(name);
  }
}
