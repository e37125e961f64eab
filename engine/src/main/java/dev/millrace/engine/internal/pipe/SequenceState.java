package dev.millrace.engine.internal.pipe;

/**
 * Where a sequence stands in its walk at one node. {@link PipeTransitionTable} says how it gets from one to
 * another.
 */
public enum SequenceState {
  /** A walk begins here: is everything there that the due step needs? */
  VALIDATING,
  /** At the origin: the next tokens are to be embedded. Between two turns a sequence rests here. */
  EMBED,
  /** Hidden states go through layers that this node has. */
  PROCESS_LAYERS,
  /** At the origin: norm, head and the choice of the next token. */
  HEAD,
  /** What comes next is another node's work. */
  SEND,
  /** The walk at this node is over; {@link StepEnding} says how. */
  DONE
}
