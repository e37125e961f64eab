package dev.millrace.core.store;

/**
 * A share in the election of the one process that does something for all that share the jobs. While
 * it is open, the store tries to get the lease of the leader, and renews it.
 */
public interface LeaderLease extends AutoCloseable {
  /** That of a process which shares the jobs with no other. */
  LeaderLease ALONE =
      new LeaderLease() {
        @Override
        public boolean isHeld() {
          return true;
        }

        @Override
        public void close() {}
      };

  /**
   * Whether this process leads. Asks nothing of the store. For a moment two processes may lead, or
   * none for a while.
   */
  boolean isHeld();

  /** Gives it up, so that another process leads soon. */
  @Override
  void close();
}
