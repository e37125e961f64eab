package dev.millrace.server;

/** How draining ended. */
public enum DrainResult {
  /** All tasks were processed, and no job failed. */
  CLEAN,
  /** All tasks were processed, and at least one job failed. */
  WITH_FAILURES,
  /** The server was stopped before all tasks were processed. */
  INTERRUPTED
}
