package dev.millrace.server;

/** Work that goes on later from where it stopped. */
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
