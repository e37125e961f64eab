package dev.millrace.engine.internal.thread;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.Thread.UncaughtExceptionHandler;

/**
 * Starts the threads of engines and nodes, so that none dies unnoticed. The program that runs them
 * says by {@link #onServiceDeath} what follows from the death of a thread that serves as long as its owner
 * lives; until then it is only logged, as is that of a thread for one piece of work.
 */
public final class EngineThreads {
  private static final Logger LOG = System.getLogger("dev.millrace.engine");
  private static volatile UncaughtExceptionHandler handler = EngineThreads::workDied;

  private EngineThreads() {}

  /** Sets what follows when a service thread dies, in this process. */
  public static void onServiceDeath(UncaughtExceptionHandler action) {
    handler = action;
  }

  /** A daemon thread that serves as long as its owner lives. */
  public static Thread.Builder.OfPlatform service(String name) {
    return Thread.ofPlatform()
        .daemon()
        .name(name)
        .uncaughtExceptionHandler(EngineThreads::serviceDied);
  }

  /** As {@link #service}, a virtual thread. */
  public static Thread.Builder.OfVirtual virtualService(String name) {
    return Thread.ofVirtual().name(name).uncaughtExceptionHandler(EngineThreads::serviceDied);
  }

  /** A daemon thread for one piece of work, such as a connection. */
  public static Thread.Builder.OfPlatform work() {
    return Thread.ofPlatform().daemon().uncaughtExceptionHandler(EngineThreads::workDied);
  }

  /** As {@link #work}, a virtual thread. */
  public static Thread.Builder.OfVirtual virtualWork() {
    return Thread.ofVirtual().uncaughtExceptionHandler(EngineThreads::workDied);
  }

  private static void serviceDied(Thread thread, Throwable reason) {
    handler.uncaughtException(thread, reason);
  }

  private static void workDied(Thread thread, Throwable reason) {
    LOG.log(Level.ERROR, "thread " + thread.getName() + " died", reason);
  }
}
