package dev.millrace.cli.terminal;

import dev.millrace.cli.command.Shell;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** The width of the terminal in columns. */
public final class TerminalWidth {
  private static final int USUAL = 80;
  private static final int LEAST = 20;

  private TerminalWidth() {}

  /** As {@link #of}, if standard output is a terminal; else 80. */
  public static int ofOutput(Shell shell) {
    return shell.terminal().isTerminal(Shell.Terminal.OUT) ? of(shell) : USUAL;
  }

  /** By {@code COLUMNS}, else by stty(1), else 80. */
  static int of(Shell shell) {
    String variable = shell.variable("COLUMNS");
    return variable == null ? askStty() : number(variable);
  }

  private static int askStty() {
    try {
      Process stty =
          new ProcessBuilder("stty", "size")
              .redirectInput(new File("/dev/tty"))
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!stty.waitFor(1, TimeUnit.SECONDS)) {
        stty.destroyForcibly();
        return USUAL;
      }
      try (InputStream out = stty.getInputStream()) {
        String size = new String(out.readNBytes(100), StandardCharsets.US_ASCII).strip();
        return number(size.substring(size.indexOf(' ') + 1));
      }
    } catch (IOException e) {
      return USUAL; // no stty, or no terminal
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return USUAL;
    }
  }

  private static int number(String text) {
    try {
      int columns = Integer.parseInt(text);
      return columns == 0 ? USUAL : Math.max(LEAST, columns);
    } catch (NumberFormatException e) {
      return USUAL;
    }
  }
}
