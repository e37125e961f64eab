package dev.millrace.cluster.internal.audit;

/** A replay has no result; the message says why. Nothing follows for the node that was audited. */
final class ReplayFailedException extends Exception {
  ReplayFailedException(String message) {
    super(message);
  }
}
