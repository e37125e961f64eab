package dev.millrace.core.state;

/** A transition that is not in the table. The entity is unchanged. */
public final class IllegalTransitionException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public IllegalTransitionException(String message) {
    super(message);
  }
}
