package dev.millrace.cli.serve;

import dev.millrace.cli.command.ExitCode;
import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.server.Server;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Stops a server when signals arrive. After the first, it claims no more tasks and lets running
 * ones finish. After the second, or most of the time that a stop may take, it ends running tasks
 * without counting an attempt. After the third, too long after the second, or after all of that time,
 * it exits at once.
 */
final class GracefulShutdown {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cli");

  /** For ending tasks, requests and exports; a stop keeps a third of its time at most for that. */
  private static final Duration END_TIME = Duration.ofSeconds(10);

  /** For requests that are being answered when the tasks have ended. */
  private static final Duration REQUEST_TIME = Duration.ofSeconds(5);

  private final Duration timeout;
  private IntSupplier requests = () -> 0; // guarded by this
  private @Nullable Thread waiting; // guarded by this
  private @Nullable Server server; // guarded by this
  private @Nullable Integer loading; // guarded by this; the exit status if it ends now
  private Runnable cleanup = () -> {}; // guarded by this
  private int signals; // guarded by this
  private long releasedBefore; // guarded by this

  /**
   * @param waiting the thread that waits to own the workspace; a signal interrupts it
   * @param timeout how long a stop may take
   */
  GracefulShutdown(Thread waiting, Duration timeout) {
    this.timeout = timeout;
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

  /** Requests may be running: {@code count} says how many. */
  synchronized void listening(IntSupplier count) {
    requests = count;
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
    if (number == 1) {
      MonitoredThreads.work().name("stop-limit").start(this::exitInTime);
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

  /** Whatever hangs, a disk or a program: the process ends, and the next server recovers. */
  private void exitInTime() {
    try {
      Thread.sleep(timeout);
    } catch (InterruptedException e) {
      return; // nobody does
    }
    Server present;
    synchronized (this) {
      present = server;
    }
    int running = present == null ? 0 : present.status().running().size();
    LOG.log(
        Level.ERROR,
        "not stopped within "
            + timeout.toSeconds()
            + " s: exiting"
            + (running == 0 ? "" : "; " + tasks(running) + " left running, to run again"));
    Runtime.getRuntime().halt(isForced() ? ExitCode.INTERRUPTED : ExitCode.FAILED);
  }

  /** How long running programs may take after the first signal. */
  static Duration grace(Duration timeout) {
    Duration third = timeout.dividedBy(3);
    return timeout.minus(third.compareTo(END_TIME) < 0 ? third : END_TIME);
  }

  /** How long requests may take after that; streams end at once. */
  static Duration requestGrace(Duration timeout) {
    Duration sixth = timeout.dividedBy(6);
    return sixth.compareTo(REQUEST_TIME) < 0 ? sixth : REQUEST_TIME;
  }

  private void begin(Server server) {
    int answering;
    Duration grace = grace(timeout);
    synchronized (this) {
      releasedBefore = server.status().released();
      answering = requests.getAsInt();
    }
    LOG.log(Level.INFO, "stopping: " + present(server.status().running().size(), answering));
    MonitoredThreads.work().name("stop").start(() -> stop(() -> server.shutdown(grace)));
  }

  private String present(int tasks, int answering) {
    if (tasks == 0 && answering == 0) {
      return "nothing is running";
    }
    String running =
        tasks
            + " running; a second signal ends them, and so do "
            + grace(timeout).toSeconds()
            + " s";
    String answered =
        requests(answering)
            + " being answered: streams end, others have "
            + requestGrace(timeout).toSeconds()
            + " s";
    return answering == 0 ? running : tasks == 0 ? answered : running + "; " + answered;
  }

  private static void end(Server server) {
    LOG.log(Level.WARNING, "stopping at once: running tasks are ended and will run again");
    Thread stop = MonitoredThreads.work().name("stop-now").start(() -> stop(server::stopNow));
    try {
      if (!stop.join(END_TIME)) {
        LOG.log(Level.ERROR, "not stopped within " + END_TIME.toSeconds() + " s: exiting");
        Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private interface Stop {
    void run() throws InterruptedException;
  }

  private static void stop(Stop stop) {
    try {
      stop.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Says what a stopped server has left.
   *
   * @param unanswered requests that were ended before they were answered
   */
  void logStopped(Server stopped, int unanswered) {
    long released;
    synchronized (this) {
      released = isStopping() ? stopped.status().released() - releasedBefore : 0;
    }
    long unstored = stopped.status().unstored();
    LOG.log(
        unstored == 0 ? Level.INFO : Level.WARNING,
        "stopped"
            + (unanswered == 0 ? "" : "; " + requests(unanswered) + " not answered to the end")
            + (released == 0 ? "" : "; " + tasks(released) + " given back, to run again")
            + (unstored == 0
                ? ""
                : "; outcomes of " + tasks(unstored) + " could not be stored: they run again"));
  }

  private static String requests(int count) {
    return count + (count == 1 ? " request" : " requests");
  }

  private static String tasks(long count) {
    return count + (count == 1 ? " task" : " tasks");
  }
}
