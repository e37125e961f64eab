package dev.millrace.cli.demo;

import dev.millrace.cli.command.ExitCode;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The user's request to stop. The demo checks it between its steps: an interrupt would close files
 * that a step has open.
 */
final class DemoStopRequest {
  /** The demo stopped because the user asked for it. */
  static final class Stopped extends Exception {
    private static final long serialVersionUID = 1L;

    Stopped() {
      super(null, null, false, false);
    }
  }

  private final CountDownLatch asked = new CountDownLatch(1);

  /** Signal number {@code number}: the first is a request, the second exits at once. */
  void signal(int number) {
    asked.countDown();
    if (number > 1) {
      Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
    }
  }

  boolean isRequested() {
    return asked.getCount() == 0;
  }

  /** Sleeps for {@code time}, less if the user asks to stop. */
  void sleepUnlessStopped(Duration time) throws Stopped, InterruptedException {
    if (asked.await(time.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new Stopped();
    }
  }
}
