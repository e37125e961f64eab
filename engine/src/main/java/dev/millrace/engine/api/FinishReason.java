package dev.millrace.engine.api;

/** Why a generation ended. */
public enum FinishReason {
  /** An end token, a stop string, or a constraint that allows nothing more. */
  STOP,
  /** As many tokens as asked for, or as many as the context holds. */
  LENGTH,
  /** By {@link Generation#cancel}. */
  CANCELLED,
  /**
   * By {@link Generation#release} or because the wheel was closed: its tokens can be gone on from
   * elsewhere.
   */
  RELEASED,
  /** An examination found that its tokens cannot be trusted: it is to begin anew. */
  REVOKED,
  /** For the reason that the result gives. */
  FAILED
}
