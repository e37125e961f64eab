package dev.millrace.core.internal.store;

/** Another process changed the job since it was read: read it again, and repeat the step. */
public final class ConcurrentUpdateException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ConcurrentUpdateException(String message) {
    super(message);
  }
}
