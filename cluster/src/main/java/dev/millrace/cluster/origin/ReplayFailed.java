package dev.millrace.cluster.origin;

/** A replay has no result; the message says why. Nothing follows for the node that was audited. */
final class ReplayFailed extends Exception {
  ReplayFailed(String message) {
    super(message);
  }
}
