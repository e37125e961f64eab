package dev.millrace.core.move;

/** A job has something that keeps it from moving; the message says what. Others are not affected. */
public final class UnmovableJobException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UnmovableJobException(String reason) {
    super(reason);
  }
}
