package dev.millrace.core.store;

/** Something is wrong with one job alone; the store works, and other jobs go on. */
public final class JobTrouble extends StoreException {
  private static final long serialVersionUID = 1L;

  public JobTrouble(String message, Throwable cause) {
    super(message, cause);
  }
}
