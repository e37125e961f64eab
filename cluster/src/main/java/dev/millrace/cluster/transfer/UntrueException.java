package dev.millrace.cluster.transfer;

import java.io.IOException;

/** What somebody said about a model cannot be true. */
final class UntrueException extends IOException {
  UntrueException(String message) {
    super(message);
  }
}
