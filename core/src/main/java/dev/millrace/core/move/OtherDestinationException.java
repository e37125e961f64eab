package dev.millrace.core.move;

import dev.millrace.core.store.StoreException;

/** Jobs are on their way to another store than the one that was named. */
public final class OtherDestinationException extends StoreException {
  private static final long serialVersionUID = 1L;

  private final String from;
  private final String to;

  OtherDestinationException(String from, TakenOutJob job) {
    super(
        "job "
            + job.id()
            + " is on its way to "
            + job.to().name()
            + " since a move was interrupted: finish that move first, or take the jobs back");
    this.from = from;
    this.to = job.to().name();
  }

  /** The store that they were taken out of. */
  public String from() {
    return from;
  }

  /** The store that they go to. */
  public String to() {
    return to;
  }
}
