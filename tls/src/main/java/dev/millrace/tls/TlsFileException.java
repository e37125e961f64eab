package dev.millrace.tls;

import java.nio.file.Path;

/** A PEM file that cannot be used; the message names the file, the problem and the remedy. */
public final class TlsFileException extends IllegalArgumentException {
  /**
   * @param problem what is wrong, as the rest of a sentence that begins with the file
   */
  public TlsFileException(Path file, String problem) {
    super(file + " " + problem);
  }

  public TlsFileException(Path file, String problem, Throwable cause) {
    super(file + " " + problem, cause);
  }
}
