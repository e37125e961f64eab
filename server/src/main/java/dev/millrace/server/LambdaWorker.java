package dev.millrace.server;

/** A worker that is a function. */
record LambdaWorker(String type, OutcomeFunction body) implements Worker {
  @Override
  public TaskOutcome work(TaskContext task) throws Exception {
    return body.work(task);
  }
}
