package dev.millrace.core.time;

import java.time.Instant;

/**
 * When the entries of a log were written, in steady time, as far as this process can know. No
 * answer is in the future. Where only the wall clock could tell, and was set, the answer is as late
 * as it can be, so that nothing is due too early.
 */
public interface LogTimes {
  /** For those who only read: as if the wall clock had never been set. */
  LogTimes AS_LOGGED =
      new LogTimes() {
        @Override
        public Instant submitted(Instant logged) {
          return logged;
        }

        @Override
        public Instant written(Instant logged) {
          return logged;
        }

        @Override
        public Instant opened() {
          return Instant.MIN;
        }
      };

  /** When a job was submitted that says so. */
  Instant submitted(Instant logged);

  /**
   * When a later entry was written. The times of a log never decrease: after the wall clock was set
   * back, entries have the time of the one before them.
   */
  Instant written(Instant logged);

  /** From when on this process was able to measure. */
  Instant opened();
}
