package dev.millrace.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Where a server's access log goes: each line whole and at once. Thread-safe. */
final class AccessFile implements Consumer<String>, AutoCloseable {
  private final PrintStream out;
  private final boolean own;

  private AccessFile(PrintStream out, boolean own) {
    this.out = out;
    this.own = own;
  }

  /** {@code -} is the output; null if there is no such log. */
  static @Nullable AccessFile open(@Nullable String name) {
    if (name == null) {
      return null;
    }
    if (name.equals("-")) {
      return new AccessFile(System.out, false);
    }
    try {
      return new AccessFile(
          new PrintStream(
              Files.newOutputStream(
                  Path.of(name), StandardOpenOption.CREATE, StandardOpenOption.APPEND),
              false,
              StandardCharsets.UTF_8),
          true);
    } catch (IOException e) {
      throw new Refusal("cannot write the access log " + name + ": " + Explain.of(e));
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
