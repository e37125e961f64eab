package dev.millrace.core.store;

/** What a worker that asks about its claim is to do. */
public enum ClaimSignal {
  /** Go on. */
  CONTINUE,
  /** A user holds the job or stage: an engine task is released at its next token, others run on. */
  PAUSE,
  /** The job has ended: stop; what was produced is kept as partial. */
  CANCEL,
  /** The claim is another's by now: stop; nothing that this worker says will count. */
  LOST
}
