package dev.millrace.cli.doctor;

import dev.millrace.core.internal.thread.MonitoredThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A temporary directory for checks, removed afterwards, even if a signal ends the program. */
final class ScratchDirectory implements AutoCloseable {
  private final Path path;
  private final Thread atExit;

  private ScratchDirectory(Path path) {
    this.path = path;
    this.atExit = MonitoredThreads.work().name("scratch").unstarted(this::remove);
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  static ScratchDirectory in(Path parent) throws IOException {
    return new ScratchDirectory(Files.createTempDirectory(parent, ".doctor-"));
  }

  Path path() {
    return path;
  }

  @Override
  public void close() {
    remove();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // already shutting down: the hook removes it
    }
  }

  private synchronized void remove() {
    try (Stream<Path> all = Files.walk(path)) {
      List<Path> leavesFirst = all.sorted(Comparator.reverseOrder()).toList();
      for (Path each : leavesFirst) {
        Files.deleteIfExists(each);
      }
    } catch (IOException | java.io.UncheckedIOException e) {
      System.getLogger("dev.millrace.cli")
          .log(System.Logger.Level.DEBUG, "while removing " + path, e);
    }
  }
}
