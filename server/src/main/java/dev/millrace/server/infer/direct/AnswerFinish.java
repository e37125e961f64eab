package dev.millrace.server.infer.direct;

/** Why an answer ended. */
public enum AnswerFinish {
  /** The model ended it, or a stop text did. */
  STOP,
  /** It has as many tokens as allowed, or the context is full. */
  LENGTH,
  /** The model ended it, and it has calls. */
  TOOL_CALLS,
  /** The caller cancelled it. */
  CANCELLED,
  /** It could not be generated. */
  FAILED
}
