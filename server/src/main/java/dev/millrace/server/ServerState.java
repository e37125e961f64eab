package dev.millrace.server;

/** The states of a server. */
public enum ServerState {
  /** Built. A user starts or stops it. */
  STARTING,
  /** Claims and runs tasks. A user drains or stops it; a broken store stops it. */
  RUNNING,
  /** Claims and runs tasks until none is left, then stops. */
  DRAINING,
  /** Claims no tasks; running ones may finish, or are told to stop. */
  STOPPING,
  /** No task runs and no thread is left. Final. */
  STOPPED;

  /** Whether a server in this state claims tasks. */
  public boolean claims() {
    return this == RUNNING || this == DRAINING;
  }
}
