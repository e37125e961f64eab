package dev.millrace.server;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A worker that is ready when the test says so. */
final class GatedWorker implements Worker {
  private final List<Runnable> hooks = new CopyOnWriteArrayList<>();
  volatile boolean ready;

  void becomeReady() {
    ready = true;
    hooks.forEach(Runnable::run);
  }

  @Override
  public String type() {
    return "gated";
  }

  @Override
  public TaskOutcome work(TaskContext task) {
    return TaskOutcome.done(task.text());
  }

  @Override
  public boolean ready() {
    return ready;
  }

  @Override
  public void onReady(Runnable hook) {
    hooks.add(hook);
  }
}
