package dev.millrace.core.task;

/** What can happen to a task. */
public enum TaskEvent {
  ENQUEUE,
  ADOPT,
  CLAIM,
  COMPLETE,
  RETRY,
  FAIL,
  RELEASE,
  CEILING,
  EXPIRE,
  ABORT
}
