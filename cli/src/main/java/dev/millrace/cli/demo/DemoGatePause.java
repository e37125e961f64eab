package dev.millrace.cli.demo;

import dev.millrace.cli.command.Shell;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/** The moment at the gate: it passes by itself, or sooner when the user presses Enter. */
final class DemoGatePause {
  /** How time passes: {@link DemoStopRequest#sleepUnlessStopped}. */
  @FunctionalInterface
  interface Pause {
    void sleepUnlessStopped(Duration time) throws DemoStopRequest.Stopped, InterruptedException;
  }

  /** How long it is. */
  static final Duration LENGTH = Duration.ofSeconds(3);

  private static final Duration STEP = Duration.ofMillis(50);

  private final int steps;

  DemoGatePause(Duration length) {
    this.steps = Math.toIntExact(length.dividedBy(STEP));
  }

  /** Returns whether a key ended it. Input that is no terminal says nothing, and is not read. */
  boolean await(Shell shell, Pause pause)
      throws IOException, InterruptedException, DemoStopRequest.Stopped {
    boolean heard = shell.terminal().isTerminal(Shell.Terminal.IN);
    if (heard) {
      skip(shell.in()); // what was typed before the question is no answer
    }
    for (int step = 0; step < steps; step++) {
      pause.sleepUnlessStopped(STEP);
      if (heard && skip(shell.in())) {
        return true;
      }
    }
    pause.sleepUnlessStopped(Duration.ZERO);
    return false;
  }

  private static boolean skip(InputStream in) throws IOException {
    int waiting = in.available(); // never blocks, at the end of the input neither
    return waiting > 0 && in.skip(waiting) > 0;
  }
}
