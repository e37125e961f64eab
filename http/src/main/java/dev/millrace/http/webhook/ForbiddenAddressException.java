package dev.millrace.http.webhook;

import java.io.IOException;

/** An address that must not be called. */
final class ForbiddenAddressException extends IOException {
  private static final long serialVersionUID = 1L;

  ForbiddenAddressException(String message) {
    super(message);
  }
}
