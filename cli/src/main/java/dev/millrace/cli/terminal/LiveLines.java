package dev.millrace.cli.terminal;

import dev.millrace.cli.command.Shell;
import java.util.List;

/**
 * Lines at the bottom of a terminal that are redrawn in place. Nothing is shown if standard error
 * is not a terminal that can move its cursor.
 */
public final class LiveLines {
  private final Shell shell;
  private final boolean possible;
  private int width;
  private List<String> shown = List.of();

  public LiveLines(Shell shell) {
    this.shell = shell;
    this.possible =
        shell.terminal().isTerminal(Shell.Terminal.ERR) && !"dumb".equals(shell.variable("TERM"));
  }

  /** Whether the terminal can show them. */
  public boolean isSupported() {
    return possible;
  }

  /** Replaces the lines. The cursor must be at the beginning of a line, or on one of ours. */
  public void show(List<String> lines) {
    if (!possible || lines.equals(shown)) {
      return;
    }
    if (width == 0) {
      width = TerminalWidth.of(shell);
    }
    StringBuilder out = new StringBuilder(erasure());
    for (int i = 0; i < lines.size(); i++) {
      // One column less than the terminal has: some wrap when the last one is written.
      out.append(i == 0 ? "" : "\n").append(line(lines.get(i)));
    }
    shell.out().flush();
    shell.err().print(out);
    shell.err().flush();
    shown = List.copyOf(lines);
  }

  private String line(String text) {
    return SanitizedText.line(ProgressBar.fitted(text, width - 1), width - 1);
  }

  /** Erases the lines; the cursor is then where the first began. */
  public void clear() {
    if (!shown.isEmpty()) {
      shell.err().print(erasure());
      shell.err().flush();
      shown = List.of();
    }
  }

  /** Leaves the lines as they are. */
  public void keep() {
    if (!shown.isEmpty()) {
      shell.err().println();
      shell.err().flush();
      shown = List.of();
    }
  }

  private String erasure() {
    return switch (shown.size()) {
      case 0 -> "";
      case 1 -> "\r\033[J";
      default -> "\r\033[" + (shown.size() - 1) + "A\033[J";
    };
  }

  /** Prints a permanent line above the live ones. */
  public void printAbove(String line) {
    List<String> again = shown;
    clear();
    shell.out().flush();
    shell.err().println(line);
    shell.err().flush();
    show(again);
  }
}
