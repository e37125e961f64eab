package dev.millrace.cluster.internal.audit;

/** A replay has no result; the message says why. It says nothing about the audited node. */
final class ReplayFailedException extends Exception {
  ReplayFailedException(String message) {
    super(message);
  }
}
