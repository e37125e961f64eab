package dev.millrace.server;

/** A worker made of its parts. */
record LambdaWorker(
    String type, Threading threading, boolean resumable, Body body, Runnable closing)
    implements Worker {

  LambdaWorker(String type, Threading threading, Body body, Runnable closing) {
    this(type, threading, false, body, closing);
  }

  @Override
  public TaskOutcome work(TaskContext task) throws Exception {
    return body.work(task);
  }

  @Override
  public void close() {
    closing.run();
  }
}
