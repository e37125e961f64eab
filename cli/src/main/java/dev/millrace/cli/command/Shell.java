package dev.millrace.cli.command;

import dev.millrace.cli.args.UsageException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The environment of a command: streams, variables and directory.
 *
 * @param out results, UTF-8, not flushed by itself
 * @param err everything else, UTF-8
 * @param directory where relative paths start
 */
public record Shell(
    InputStream in,
    PrintStream out,
    PrintStream err,
    Map<String, String> environment,
    Path directory,
    Terminal terminal) {

  /** Which of the standard streams are a terminal. */
  @FunctionalInterface
  public interface Terminal {
    int IN = 0;
    int OUT = 1;
    int ERR = 2;

    boolean isTerminal(int descriptor);
  }

  public @Nullable String variable(String name) {
    String value = environment.get(name);
    return value == null || value.isEmpty() ? null : value;
  }

  /** The file or directory that a user names. */
  public Path path(String text) {
    if (text.isEmpty()) {
      throw new UsageException("a path must not be empty");
    }
    try {
      return directory.resolve(text);
    } catch (InvalidPathException e) {
      throw new UsageException(
          "\""
              + text
              + "\" is not a path here: "
              + e.getReason()
              + "; a name that is not ASCII needs a UTF-8 locale, for example LC_ALL=C.UTF-8");
    }
  }

  /** Whether to use colours: on a terminal, unless the user switched them off. */
  public boolean colourful() {
    return variable("NO_COLOR") == null
        && !"dumb".equals(variable("TERM"))
        && terminal.isTerminal(Terminal.OUT);
  }

  /** Prints a line and flushes it. */
  public void printLine(String line) {
    out.println(line);
    out.flush();
  }
}
