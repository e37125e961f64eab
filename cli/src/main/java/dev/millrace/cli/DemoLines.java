package dev.millrace.cli;

import java.time.Duration;

/** Progress where nothing can be redrawn: a line every other second. */
final class DemoLines implements DemoScreen {
  private static final Duration APART = Duration.ofSeconds(2);

  private final Shell shell;
  private Duration due = APART;

  DemoLines(Shell shell) {
    this.shell = shell;
  }

  @Override
  public void show(DemoFrame frame) {
    boolean early = frame.elapsed().compareTo(due) < 0;
    if (early || frame.tokens() == 0 || frame.state().isFinal()) {
      return;
    }
    due = frame.elapsed().plus(APART);
    shell.say("  " + frame.words());
  }

  @Override
  public void end() {
    due = APART;
  }
}
