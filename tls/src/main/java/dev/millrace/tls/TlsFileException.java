package dev.millrace.tls;

/** A PEM file that cannot be used; the message names the file, the problem and the remedy. */
public final class TlsFileException extends IllegalArgumentException {
  public TlsFileException(String message) {
    super(message);
  }

  public TlsFileException(String message, Throwable cause) {
    super(message, cause);
  }
}
