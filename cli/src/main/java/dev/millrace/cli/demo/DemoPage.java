package dev.millrace.cli.demo;

import dev.millrace.cli.command.Shell;
import dev.millrace.cli.serve.LocalServer;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.time.Duration;

/** The page of a demo: it shows the job while it runs, and stays until the user stops it. */
final class DemoPage {
  private static final Duration CHECK = Duration.ofSeconds(1);

  private final Shell shell;
  private final DemoNarration narration;
  private final DemoStopRequest stop;

  DemoPage(Shell shell, DemoNarration narration, DemoStopRequest stop) {
    this.shell = shell;
    this.narration = narration;
    this.stop = stop;
  }

  /** Listens, says where, and opens a browser if there is a screen for one. */
  void open(LocalServer server) {
    URI address = server.listen().resolve("/");
    narration.page(address);
    if (shell.variable("DISPLAY") != null || shell.variable("WAYLAND_DISPLAY") != null) {
      browse(address);
    }
  }

  private static void browse(URI address) {
    try {
      new ProcessBuilder("xdg-open", address.toString())
          .redirectOutput(Redirect.DISCARD)
          .redirectError(Redirect.DISCARD)
          .start()
          .getOutputStream()
          .close();
    } catch (IOException e) {
      // the address is printed
    }
  }

  /** Waits until the user stops the demo; its results can be looked at meanwhile. */
  void keep(LocalServer server) throws InterruptedException {
    narration.pageStays();
    try {
      while (true) {
        stop.sleepUnlessStopped(CHECK);
        server.requireRunning();
      }
    } catch (DemoStopRequest.Stopped e) {
      // the demo has run its course: this is its end
    }
  }
}
