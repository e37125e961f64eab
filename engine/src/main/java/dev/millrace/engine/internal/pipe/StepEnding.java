package dev.millrace.engine.internal.pipe;

/**
 * How a step ended.
 *
 * @param reason in words; empty if the kind says everything
 */
public record StepEnding(Kind kind, String reason) {
  /** The kinds of endings. */
  public enum Kind {
    /** The sequence has all its tokens. */
    COMPLETED,
    /** Another node continues it. */
    HANDED_OFF,
    /** It waits for a pipe or a slot; it can be resumed from its tokens, here or elsewhere. */
    RELEASED,
    /** It failed, for the given reason. */
    FAILED,
    /** A chunk of a prompt is computed; another step has begun the next one. */
    CONTINUED
  }

  @Override
  public String toString() {
    return reason.isEmpty() ? kind.name() : kind + " (" + reason + ")";
  }
}
