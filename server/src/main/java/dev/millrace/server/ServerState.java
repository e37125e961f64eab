package dev.millrace.server;

/** The states of a server. */
public enum ServerState {
  /** Built. A user starts it, or lets go of it. */
  STARTING,
  /** Claims and works. A user drains or stops it; a broken store stops it. */
  RUNNING,
  /** Claims and works until nothing is left to do, which stops it. */
  DRAINING,
  /** Claims nothing more; what runs may finish, or is told to stop. */
  STOPPING,
  /** Nothing runs and no thread is left. Final. */
  STOPPED;

  /** Whether a server in this state takes new tasks. */
  public boolean claims() {
    return this == RUNNING || this == DRAINING;
  }
}
