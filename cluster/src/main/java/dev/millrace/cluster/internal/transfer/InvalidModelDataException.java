package dev.millrace.cluster.internal.transfer;

import java.io.IOException;

/** Data about a model cannot be right. */
final class InvalidModelDataException extends IOException {
  InvalidModelDataException(String message) {
    super(message);
  }
}
