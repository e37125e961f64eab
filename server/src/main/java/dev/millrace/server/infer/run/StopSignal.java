package dev.millrace.server.infer.run;

import dev.millrace.server.TaskContext;
import org.jspecify.annotations.Nullable;

/**
 * Stops the current step of a task when its job is paused or the task must stop. The task's thread
 * sets the actions; threads of the server trigger them.
 */
public final class StopSignal {
  private @Nullable Runnable onPause; // guarded by this
  private @Nullable Runnable onStop; // guarded by this
  private boolean paused; // guarded by this
  private boolean stopped; // guarded by this

  static StopSignal of(TaskContext task) {
    StopSignal signal = new StopSignal();
    task.onPause(signal::pause);
    task.onCancel(signal::stop);
    return signal;
  }

  /** Sets the actions of the current step; runs one at once if the signal was already given. */
  public void setActions(Runnable pauseAction, Runnable stopAction) {
    boolean pauseNow;
    boolean stopNow;
    synchronized (this) {
      onPause = pauseAction;
      onStop = stopAction;
      pauseNow = paused;
      stopNow = stopped;
    }
    if (stopNow) {
      stopAction.run();
    } else if (pauseNow) {
      pauseAction.run();
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
