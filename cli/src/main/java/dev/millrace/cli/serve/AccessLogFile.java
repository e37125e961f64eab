package dev.millrace.cli.serve;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorText;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes a server's access log, each line atomically and at once. Thread-safe. */
final class AccessLogFile implements Consumer<String>, AutoCloseable {
  private final PrintStream out;
  private final boolean own;

  private AccessLogFile(PrintStream out, boolean own) {
    this.out = out;
    this.own = own;
  }

  /** {@code -} is standard output; null if there is no access log. */
  static @Nullable AccessLogFile open(@Nullable String name) {
    if (name == null) {
      return null;
    }
    if (name.equals("-")) {
      return new AccessLogFile(System.out, false);
    }
    try {
      return new AccessLogFile(
          new PrintStream(
              Files.newOutputStream(
                  Path.of(name), StandardOpenOption.CREATE, StandardOpenOption.APPEND),
              false,
              StandardCharsets.UTF_8),
          true);
    } catch (IOException e) {
      throw new CommandException("cannot write the access log " + name + ": " + ErrorText.of(e));
    }
  }

  @Override
  public void accept(String line) {
    byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
    synchronized (out) {
      out.write(bytes, 0, bytes.length);
      out.flush();
    }
  }

  @Override
  public void close() {
    if (own) {
      out.close();
    }
  }
}
