package dev.millrace.http.webhook;

import java.io.IOException;

/** The server may not call this address. */
final class ForbiddenAddressException extends IOException {
  private static final long serialVersionUID = 1L;

  ForbiddenAddressException(String message) {
    super(message);
  }
}
