package dev.millrace.http.transport;

import org.jspecify.annotations.Nullable;

/** The client disconnected, or was cut off because it was too slow: no response is possible. */
public final class ClientGoneException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final boolean slow;

  public ClientGoneException(boolean slow, @Nullable Throwable cause) {
    super(slow ? "the client was too slow" : "the client disconnected", cause, false, false);
    this.slow = slow;
  }

  public boolean isSlow() {
    return slow;
  }

  /** The status for logs; it is never sent. */
  public int status() {
    return slow ? 408 : 499;
  }
}
