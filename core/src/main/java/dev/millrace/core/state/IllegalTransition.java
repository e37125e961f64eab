package dev.millrace.core.state;

/** A move that the table of its entity does not have. The entity is unchanged. */
public final class IllegalTransition extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public IllegalTransition(String message) {
    super(message);
  }
}
