package dev.millrace.cli.serve;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorText;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes a server's access log, each line atomically and at once. If its file was renamed or
 * deleted, the next line goes to a new one, so that rotation needs no signal and loses nothing.
 * Thread-safe.
 */
final class AccessLogFile implements Consumer<String>, AutoCloseable {
  private final @Nullable Path file; // null: standard output
  private PrintStream out;
  private @Nullable Object identity;

  private AccessLogFile(@Nullable Path file, PrintStream out) {
    this.file = file;
    this.out = out;
    this.identity = file == null ? null : identity(file);
  }

  /** {@code -} is standard output; null if there is no access log. */
  static @Nullable AccessLogFile open(@Nullable String name) {
    if (name == null) {
      return null;
    }
    if (name.equals("-")) {
      return new AccessLogFile(null, System.out);
    }
    Path file = Path.of(name).toAbsolutePath();
    try {
      return new AccessLogFile(file, append(file));
    } catch (IOException e) {
      throw new CommandException("cannot write the access log " + name + ": " + ErrorText.of(e));
    }
  }

  private static PrintStream append(Path file) throws IOException {
    return new PrintStream(
        Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND),
        false,
        StandardCharsets.UTF_8);
  }

  /** What tells a file from another one at the same path; null if there is none. */
  private static @Nullable Object identity(Path file) {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    } catch (IOException e) {
      return null;
    }
  }

  @Override
  public synchronized void accept(String line) {
    byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
    reopenIfReplaced();
    out.write(bytes, 0, bytes.length);
    out.flush();
  }

  /** Makes the next line go to the file that is then at its path; false for standard output. */
  synchronized boolean reopen() {
    identity = null;
    return file != null;
  }

  private void reopenIfReplaced() {
    if (file == null || identity != null && identity.equals(identity(file))) {
      return;
    }
    try {
      PrintStream replaced = out;
      out = append(file);
      identity = identity(file);
      replaced.close();
    } catch (IOException e) {
      // the old file, wherever it is, takes the lines until the new one can be opened
    }
  }

  @Override
  public synchronized void close() {
    if (file != null) {
      out.close();
    }
  }
}
