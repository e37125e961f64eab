package dev.millrace.engine.wheel;

/** Why a generation ended. */
public enum Finish {
  /** An end token, a stop string, or a constraint that allows nothing more. */
  STOP,
  /** As many tokens as asked for, or as many as the context holds. */
  LENGTH,
  /** By {@link Generation#cancel}. */
  CANCELLED,
  /**
   * By {@link Generation#release}, a closed wheel or a pipe that is gone: its tokens can be gone on
   * from elsewhere.
   */
  RELEASED,
  /** For the reason that the result gives. */
  FAILED
}
