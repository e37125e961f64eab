package dev.millrace.server.http;

import org.jspecify.annotations.Nullable;

/** The client went away, or was cut off: nobody is there to be answered. */
final class ClientGone extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final boolean slow;

  ClientGone(boolean slow, @Nullable Throwable cause) {
    super(slow ? "the client was too slow" : "the client has gone", cause, false, false);
    this.slow = slow;
  }

  boolean isSlow() {
    return slow;
  }

  /** The status in logs; nobody receives it. */
  int status() {
    return slow ? 408 : 499;
  }
}
