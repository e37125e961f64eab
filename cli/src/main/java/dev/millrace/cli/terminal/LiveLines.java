package dev.millrace.cli.terminal;

import dev.millrace.cli.command.Shell;
import java.util.List;

/**
 * The lines at the bottom of a terminal that are rewritten as things go on. Where standard error is
 * no terminal, or one that cannot move its cursor, there are none.
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

  /** Whether there is somebody to see them. */
  public boolean isSupported() {
    return possible;
  }

  /** These instead of those before. The cursor must be at the beginning of a line, or on ours. */
  public void show(List<String> lines) {
    if (!possible || lines.equals(shown)) {
      return;
    }
    if (width == 0) {
      width = TerminalWidth.of(shell);
    }
    StringBuilder out = new StringBuilder(erasure());
    for (int i = 0; i < lines.size(); i++) {
      // One column less than there are: some terminals wrap when the last is written.
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

  /** Takes them away; the cursor is where the first began. */
  public void clear() {
    if (!shown.isEmpty()) {
      shell.err().print(erasure());
      shell.err().flush();
      shown = List.of();
    }
  }

  /** Lets them stand as they are. */
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

  /** A line that stays, above those that are rewritten. */
  public void printAbove(String line) {
    List<String> again = shown;
    clear();
    shell.out().flush();
    shell.err().println(line);
    shell.err().flush();
    show(again);
  }
}
