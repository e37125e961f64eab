package dev.millrace.server;

/** Runs the tasks of another worker on platform threads. */
record PlatformThreadWorker(Worker worker) implements Worker {
  @Override
  public String type() {
    return worker.type();
  }

  @Override
  public TaskOutcome work(TaskContext task) throws Exception {
    return worker.work(task);
  }

  @Override
  public Threading threading() {
    return Threading.PLATFORM;
  }

  @Override
  public boolean resumable() {
    return worker.resumable();
  }

  @Override
  public boolean ready() {
    return worker.ready();
  }

  @Override
  public void onReady(Runnable hook) {
    worker.onReady(hook);
  }

  @Override
  public void close() {
    worker.close();
  }
}
