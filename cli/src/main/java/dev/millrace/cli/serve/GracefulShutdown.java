package dev.millrace.cli.serve;

import dev.millrace.cli.command.ExitCode;
import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.server.Server;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Stops a server when signals arrive. After the first, it claims no more tasks and lets running
 * ones finish. After the second, it ends running tasks without counting an attempt. After the
 * third, or too long after the second, it exits at once.
 */
final class GracefulShutdown {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cli");
  private static final Duration FORCED_TIMEOUT = Duration.ofSeconds(10);

  private @Nullable Thread waiting; // guarded by this
  private @Nullable Server server; // guarded by this
  private @Nullable Integer loading; // guarded by this; the exit status if it ends now
  private Runnable cleanup = () -> {}; // guarded by this
  private int signals; // guarded by this

  /**
   * @param waiting the thread that waits to own the workspace; a signal interrupts it
   */
  GracefulShutdown(Thread waiting) {
    this.waiting = waiting;
  }

  /** Ends the wait, on the thread that waited. A signal that arrived just then is not lost. */
  synchronized void workspaceOwned() {
    waiting = null;
    Thread.interrupted();
  }

  /**
   * A model is being loaded, which can take long and cannot be interrupted: a signal ends the
   * process with {@code status}. Nothing is claimed yet, and the system releases the lock.
   *
   * @param beforeExit what to do before that
   */
  synchronized void loadingStarted(int status, Runnable beforeExit) {
    loading = status;
    cleanup = beforeExit;
  }

  synchronized void loadingFinished() {
    loading = null;
  }

  /** There is a server to stop; stops it at once if a signal came before. */
  void serverStarted(Server newServer) {
    boolean late;
    synchronized (this) {
      server = newServer;
      late = signals > 0;
    }
    if (late) {
      begin(newServer);
    }
  }

  synchronized boolean isStopping() {
    return signals > 0;
  }

  synchronized boolean isForced() {
    return signals > 1;
  }

  /** Signal number {@code number}, from 1. */
  void signal(int number) {
    Server present;
    Integer exit;
    Runnable beforeExit;
    synchronized (this) {
      beforeExit = cleanup;
      signals = number;
      present = server;
      exit = loading;
      if (waiting != null) {
        waiting.interrupt();
      }
    }
    if (number > 2) {
      Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
    }
    if (exit != null) {
      LOG.log(Level.INFO, "stopped while a model was loading");
      try {
        beforeExit.run();
      } finally {
        Runtime.getRuntime().halt(exit);
      }
    }
    if (present == null) {
      LOG.log(Level.INFO, "stopping");
    } else if (number == 1) {
      begin(present);
    } else {
      end(present);
    }
  }

  private static void begin(Server server) {
    int running = server.status().running().size();
    LOG.log(
        Level.INFO,
        "stopping: "
            + (running == 0
                ? "nothing is running"
                : running + " running; a second signal ends them"));
    MonitoredThreads.work().name("stop").start(() -> stop(server, false));
  }

  private static void end(Server server) {
    LOG.log(Level.WARNING, "stopping at once: running tasks are ended and will run again");
    Thread stop = MonitoredThreads.work().name("stop-now").start(() -> stop(server, true));
    try {
      if (!stop.join(FORCED_TIMEOUT)) {
        LOG.log(Level.ERROR, "not stopped within " + FORCED_TIMEOUT.toSeconds() + " s: exiting");
        Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void stop(Server server, boolean now) {
    try {
      if (now) {
        server.stopNow();
      } else {
        server.stop();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
