package dev.millrace.engine.internal.pipe;

/** A sequence as a pipe sees it. */
public interface PipeSequence {
  SequenceStep step();

  /**
   * Its number in this pipe: a new one with each admission, so that data of an earlier stay is
   * never mistaken for the current one.
   */
  long passage();

  /** The number of positions that were in shared pages at its admission. */
  int base();

  /** Its tokens by position; only the origin reads them. */
  int[] tokens();

  /** Its page table. */
  int[] pages();

  /** Whether the nodes record hashes of its rows: see {@link RowHashRecorder}. */
  default boolean isRecorded() {
    return false;
  }
}
