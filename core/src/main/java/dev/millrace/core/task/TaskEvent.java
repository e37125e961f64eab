package dev.millrace.core.task;

/** What can happen to a task. */
public enum TaskEvent {
  ENQUEUE,
  CLAIM,
  COMPLETE,
  RETRY,
  FAIL,
  RELEASE,
  CEILING,
  EXPIRE,
  ABORT
}
