package dev.millrace.cli.demo;

import dev.millrace.cli.command.Shell;
import java.time.Duration;

/** Shows progress without a terminal: a line every other second. */
final class DemoPlainScreen implements DemoScreen {
  private static final Duration APART = Duration.ofSeconds(2);

  private final Shell shell;
  private Duration due = APART;

  DemoPlainScreen(Shell shell) {
    this.shell = shell;
  }

  @Override
  public void show(DemoProgress frame) {
    boolean early = frame.elapsed().compareTo(due) < 0;
    if (early || frame.tokens() == 0 || frame.state().isFinal()) {
      return;
    }
    due = frame.elapsed().plus(APART);
    shell.printLine("  " + frame.summary());
  }

  @Override
  public void end() {
    due = APART;
  }
}
