package dev.millrace.cli.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Finds out whether a standard stream is a terminal: asks {@code /proc} where it exists, else Java.
 */
public final class ProcessTerminal implements Shell.Terminal {
  @Override
  public boolean isTerminal(int descriptor) {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return target.startsWith("/dev/pts/")
          || target.startsWith("/dev/tty")
          || target.equals("/dev/console");
    } catch (IOException | UnsupportedOperationException e) {
      return System.console() != null && System.console().isTerminal();
    }
  }
}
