package dev.millrace.engine.api;

/** Why a generation ended. */
public enum FinishReason {
  /** An end token, a stop string, or a constraint that allows no further token. */
  STOP,
  /** The requested number of tokens was generated, or the context is full. */
  LENGTH,
  /** {@link Generation#cancel} was called. */
  CANCELLED,
  /**
   * {@link Generation#release} was called, or the engine was closed. Another generation can resume
   * from the tokens.
   */
  RELEASED,
  /** An audit found that the tokens cannot be trusted. Restart from the prompt. */
  REVOKED,
  /** It failed; the result has the reason. */
  FAILED
}
