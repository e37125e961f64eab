package dev.millrace.cli.demo;

import dev.millrace.cli.command.Shell;
import dev.millrace.cli.terminal.LiveLines;
import dev.millrace.cli.terminal.ProgressBar;
import dev.millrace.cli.terminal.SanitizedText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Shows progress on a terminal: a bar, and for each task a line with the end of its text. */
final class DemoLiveScreen implements DemoScreen {
  private static final int COLUMNS = 79;
  private static final int FINE = 1_000;

  private final LiveLines lines;
  private final ProgressBar bar;

  DemoLiveScreen(Shell shell, LiveLines lines) {
    this.lines = lines;
    this.bar = ProgressBar.of(shell);
  }

  @Override
  public void show(DemoProgress frame) {
    List<String> all = new ArrayList<>();
    all.add("  " + bar.bar(Math.round(frame.share() * FINE), FINE) + "  " + frame.summary());
    frame.rows().forEach(row -> all.add(line(row)));
    lines.show(all);
  }

  @Override
  public void end() {
    lines.clear();
  }

  private static String line(DemoProgress.Row row) {
    String words = DemoJob.WORDS.get(row.number() - 1);
    String mark = row.state().isFinal() ? "*" : " ";
    String head =
        String.format(Locale.ROOT, "  %d %s %-22s %4d  ", row.number(), mark, words, row.tokens());
    return head + tail(row.text(), COLUMNS - head.length());
  }

  /** The end of a text, on one line. */
  static String tail(String text, int most) {
    String line = text.strip();
    int from = line.length() - most + 1;
    if (from <= 1) {
      return SanitizedText.line(line, most);
    }
    int whole = Character.isLowSurrogate(line.charAt(from)) ? from + 1 : from;
    return "…" + SanitizedText.line(line.substring(whole), most);
  }
}
