package dev.millrace.core.store;

/** Something is wrong with one job alone; the store works, and other jobs go on. */
public final class JobException extends StoreException {
  private static final long serialVersionUID = 1L;

  public JobException(String message, Throwable cause) {
    super(message, cause);
  }
}
