package dev.millrace.engine.internal.pipe;

/** What a pipe knows of a sequence that goes through it. */
public interface PipeSequence {
  SequenceStep step();

  /**
   * Its number in this pipe: another each time that it is admitted, so that nothing of a former
   * stay is mistaken.
   */
  long passage();

  /** Positions before this one were in shared pages already when it was admitted. */
  int base();

  /** Its tokens by position; read by the origin alone. */
  int[] tokens();

  /** Its page table. */
  int[] pages();

  /** Whether the nodes that it goes through note what they get and give: see {@link RowHashRecorder}. */
  default boolean isRecorded() {
    return false;
  }
}
