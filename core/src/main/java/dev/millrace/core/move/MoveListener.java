package dev.millrace.core.move;

import dev.millrace.core.job.JobId;

/** Learns how a move goes on. */
public interface MoveListener {
  /** For those who do not care. */
  MoveListener NONE =
      new MoveListener() {
        @Override
        public void started(long jobs) {}

        @Override
        public void done(JobId id) {}
      };

  /** How many jobs there are to move, as far as known. */
  void started(long jobs);

  /** A job was moved, or left with a reason. */
  void done(JobId id);
}
