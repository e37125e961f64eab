package dev.millrace.core.job;

/** What can happen to a job. */
public enum JobEvent {
  ENQUEUE,
  START,
  RESUME,
  PAUSE,
  ABORT,
  BEGIN,
  COMPLETE,
  FAIL
}
