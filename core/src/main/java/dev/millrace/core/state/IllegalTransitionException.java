package dev.millrace.core.state;

/** A move that the table of its entity does not have. The entity is unchanged. */
public final class IllegalTransitionException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public IllegalTransitionException(String message) {
    super(message);
  }
}
