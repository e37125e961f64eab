package dev.millrace.server;

/** A worker whose tasks can be resumed. */
public record ResumableWorker(String type, OutcomeFunction body) implements Worker {
  @Override
  public TaskOutcome work(TaskContext task) throws Exception {
    return body.work(task);
  }

  @Override
  public boolean resumable() {
    return true;
  }
}
