package dev.millrace.http.transport;

import org.jspecify.annotations.Nullable;

/** The client went away, or was cut off: nobody is there to be answered. */
public final class ClientGoneException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final boolean slow;

  public ClientGoneException(boolean slow, @Nullable Throwable cause) {
    super(slow ? "the client was too slow" : "the client has gone", cause, false, false);
    this.slow = slow;
  }

  public boolean isSlow() {
    return slow;
  }

  /** The status in logs; nobody receives it. */
  public int status() {
    return slow ? 408 : 499;
  }
}
