package dev.millrace.cli.command;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Standard output that remembers write errors. A command whose result was not written must not exit
 * with 0, and a {@link PrintStream} hides the error.
 */
public final class StandardOutput extends OutputStream {
  private final OutputStream to;
  private @Nullable IOException problem;

  StandardOutput(OutputStream to) {
    this.to = to;
  }

  /** The process's own, always in UTF-8, whatever the locale is. */
  public static StandardOutput standard() {
    return new StandardOutput(new FileOutputStream(FileDescriptor.out));
  }

  public PrintStream stream() {
    return new PrintStream(
        new java.io.BufferedOutputStream(this, 8_192), false, StandardCharsets.UTF_8);
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    try {
      to.write(bytes, from, length);
    } catch (IOException e) {
      if (problem == null) {
        problem = e;
      }
      throw e;
    }
  }

  /**
   * The exit status, after the output was written. A reader that leaves early, as head(1) does, is
   * no error.
   */
  public int status(int status, ErrorPrinter errors) {
    if (problem == null) {
      return status;
    }
    String reason = String.valueOf(problem.getMessage());
    if (!reason.contains("Broken pipe")) {
      errors.print(ErrorCode.FAILED, "cannot write to standard output: " + reason);
    }
    return status == ExitCode.OK ? ExitCode.FAILED : status;
  }
}
