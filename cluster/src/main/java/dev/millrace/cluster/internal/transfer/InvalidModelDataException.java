package dev.millrace.cluster.internal.transfer;

import java.io.IOException;

/** What somebody said about a model cannot be true. */
final class InvalidModelDataException extends IOException {
  InvalidModelDataException(String message) {
    super(message);
  }
}
