package dev.millrace.server.http.hooks;

import java.io.IOException;

/** An address that must not be called. */
final class Barred extends IOException {
  private static final long serialVersionUID = 1L;

  Barred(String message) {
    super(message);
  }
}
