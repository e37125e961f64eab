package dev.millrace.core.stage;

/** What can happen to a stage. */
public enum StageEvent {
  OPEN,
  HOLD,
  APPROVE,
  BEGIN,
  COMPLETE,
  FAIL,
  ABORT
}
