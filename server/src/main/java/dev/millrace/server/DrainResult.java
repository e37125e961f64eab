package dev.millrace.server;

/** How draining ended. */
public enum DrainResult {
  /** Everything was worked off, and no job failed. */
  CLEAN,
  /** Everything was worked off, and at least one job failed meanwhile. */
  WITH_FAILURES,
  /** It was stopped while there was work left. */
  INTERRUPTED
}
