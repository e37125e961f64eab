package dev.millrace.engine.internal.pipe;

import java.util.Locale;

/** A condition of a sequence that triggers a transition. */
public enum SequenceCondition {
  CANCELLED,
  PAUSED,
  PREEMPTED,
  DEADLINE_PASSED,
  /** A computation threw. */
  STEP_FAILED,

  NO_SEQUENCE,
  PIPE_MISSING,
  PIPE_INCOMPLETE,
  NOT_ORIGIN_FOR_HEAD,
  END_MISSING,
  /** The step is out of date: an earlier plan's epoch, or positions before it that are not here. */
  STEP_REFUSED,
  /** Tokens are to be embedded, and this is the origin. */
  EMBED_DUE,
  /** Tokens are to be embedded, and this is not the origin. */
  EMBED_DUE_ELSEWHERE,
  HEAD_DUE,
  /** The head would be next, but the prompt has more chunks. */
  CHUNK_DUE,
  LAYERS_DUE,
  /** All layers of a chunk are done, and the next chunk of the prompt began before that. */
  NEXT_CHUNK_BEGUN,

  /** What was to be recorded could not be added to the sequence's own record. */
  UPDATE_UNDELIVERED,
  NO_MODEL_FOR_LAYER,
  NO_LOCAL_SEGMENT,
  NEXT_REMOTE,
  NEXT_LOCAL,
  ALL_LAYERS_DONE,
  ALL_LAYERS_DONE_MORE_CHUNKS,
  ALL_LAYERS_DONE_ELSEWHERE,

  SEQUENCE_COMPLETE,
  MORE_TOKENS,
  /** The head has embedded the token itself; its next layer is another node's. */
  EMBEDDED_NEXT_REMOTE,
  /** The head has embedded the token itself; its next layer is here. */
  EMBEDDED_NEXT_LOCAL,

  SENT,
  /** The next node could not be reached. */
  UNREACHED;

  /** The condition in plain words. */
  public String description() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
