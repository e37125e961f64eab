package dev.millrace.engine.internal.pipe;

/**
 * The state of a sequence during a step at one node. {@link PipeTransitionTable} has the
 * transitions.
 */
public enum SequenceState {
  /** A step begins here: is everything there that it needs? */
  VALIDATING,
  /**
   * At the origin: the next tokens are to be embedded. Between two batches a sequence waits here.
   */
  EMBED,
  /** Hidden states go through layers of this node. */
  PROCESS_LAYERS,
  /** At the origin: norm, head and the choice of the next token. */
  HEAD,
  /** Another node computes what comes next. */
  SEND,
  /** The step at this node is over; {@link StepEnding} says how. */
  DONE
}
