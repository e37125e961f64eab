package dev.millrace.cli.demo;

import dev.millrace.cli.command.Shell;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/** The pause at the gate: it ends by itself, or when the user presses Enter. */
final class DemoGatePause {
  /** Sleeps: {@link DemoStopRequest#sleepUnlessStopped}. */
  @FunctionalInterface
  interface Pause {
    void sleepUnlessStopped(Duration time) throws DemoStopRequest.Stopped, InterruptedException;
  }

  /** The length of the pause. */
  static final Duration LENGTH = Duration.ofSeconds(3);

  private static final Duration STEP = Duration.ofMillis(50);

  private final int steps;

  DemoGatePause(Duration length) {
    this.steps = Math.toIntExact(length.dividedBy(STEP));
  }

  /** Returns whether a key ended it. Input that is not a terminal is not read. */
  boolean await(Shell shell, Pause pause)
      throws IOException, InterruptedException, DemoStopRequest.Stopped {
    boolean heard = shell.terminal().isTerminal(Shell.Terminal.IN);
    if (heard) {
      skip(shell.in()); // ignore what was typed before the question
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
    int waiting = in.available(); // never blocks, not even at the end of the input
    return waiting > 0 && in.skip(waiting) > 0;
  }
}
