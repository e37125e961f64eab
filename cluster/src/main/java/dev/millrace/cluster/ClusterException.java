package dev.millrace.cluster;

import org.jspecify.annotations.Nullable;

/** Something in a network of nodes failed; the message says what, why, and what to do. */
public final class ClusterException extends RuntimeException {
  private final boolean refused;

  public ClusterException(String message) {
    super(message);
    this.refused = false;
  }

  public ClusterException(String message, Throwable cause) {
    super(message, cause);
    this.refused = false;
  }

  private ClusterException(String message, @Nullable Throwable cause, boolean refused) {
    super(message, cause);
    this.refused = refused;
  }

  /** A refusal by the other side: trying again without a change does not help. */
  public static ClusterException refused(String message, @Nullable Throwable cause) {
    return new ClusterException(message, cause, true);
  }

  /**
   * Whether the other side refused us: another key, another version, a name that is not allowed.
   */
  public boolean refused() {
    return refused;
  }
}
