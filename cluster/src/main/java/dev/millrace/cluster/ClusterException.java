package dev.millrace.cluster;

/** What cannot be done in a network of nodes; the message says what, why, and what to do. */
public final class ClusterException extends RuntimeException {
  public ClusterException(String message) {
    super(message);
  }

  public ClusterException(String message, Throwable cause) {
    super(message, cause);
  }
}
