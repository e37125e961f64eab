package dev.millrace.engine.internal.pipe;

/**
 * How a walk ended.
 *
 * @param reason in words; empty where the kind says all
 */
public record StepEnding(Kind kind, String reason) {
  /** The four ways. */
  public enum Kind {
    /** The sequence has all its tokens. */
    COMPLETED,
    /** Another node goes on with it. */
    HANDED_OFF,
    /** It waits for a pipe or a place; from its tokens it can go on, here or elsewhere. */
    RELEASED,
    /** It ends, for the reason given. */
    FAILED
  }

  @Override
  public String toString() {
    return reason.isEmpty() ? kind.name() : kind + " (" + reason + ")";
  }
}
