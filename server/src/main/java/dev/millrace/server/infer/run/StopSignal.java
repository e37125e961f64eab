package dev.millrace.server.infer.run;

import dev.millrace.server.TaskContext;
import org.jspecify.annotations.Nullable;

/**
 * Stops what a task is doing at the moment, when its job is paused or it is to stop. Pulled by the
 * server's threads, set by the task's own.
 */
public final class StopSignal {
  private @Nullable Runnable onPause; // guarded by this
  private @Nullable Runnable onStop; // guarded by this
  private boolean paused; // guarded by this
  private boolean stopped; // guarded by this

  static StopSignal of(TaskContext task) {
    StopSignal brake = new StopSignal();
    task.onPause(brake::pause);
    task.onCancel(brake::stop);
    return brake;
  }

  /** What to do from now on when it is pulled; at once if it has been. */
  public void setActions(Runnable pausing, Runnable stopping) {
    boolean pauseNow;
    boolean stopNow;
    synchronized (this) {
      onPause = pausing;
      onStop = stopping;
      pauseNow = paused;
      stopNow = stopped;
    }
    if (stopNow) {
      stopping.run();
    } else if (pauseNow) {
      pausing.run();
    }
  }

  private void pause() {
    Runnable toRun;
    synchronized (this) {
      paused = true;
      toRun = onPause;
    }
    if (toRun != null) {
      toRun.run();
    }
  }

  private void stop() {
    Runnable toRun;
    synchronized (this) {
      stopped = true;
      toRun = onStop;
    }
    if (toRun != null) {
      toRun.run();
    }
  }

  synchronized boolean paused() {
    return paused;
  }

  synchronized boolean stopped() {
    return stopped;
  }
}
