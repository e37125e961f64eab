package dev.millrace.cli;

/** What was asked cannot be done; the message says why and what would be possible. */
final class Refusal extends RuntimeException {
  Refusal(String message) {
    super(message, null, false, false);
  }
}
