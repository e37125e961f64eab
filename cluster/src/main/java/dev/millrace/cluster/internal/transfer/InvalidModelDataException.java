package dev.millrace.cluster.internal.transfer;

import java.io.IOException;

/** Data about a model, from a peer or from the cache, is malformed or does not match its hash. */
final class InvalidModelDataException extends IOException {
  InvalidModelDataException(String message) {
    super(message);
  }
}
