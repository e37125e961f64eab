package dev.millrace.cli.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The wall clock of the servers, which Debian's libfaketime sets while they run. Their monotonic
 * clock stays as it is, and so do the times of files.
 */
final class SoakClock {
  private static final List<Path> LIBRARIES =
      List.of(
          Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"),
          Path.of("/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1"));

  private final Path file;
  private final Optional<Path> library = LIBRARIES.stream().filter(Files::exists).findFirst();

  SoakClock(Path directory) throws IOException {
    file = directory.resolve("clock");
    step(Duration.ZERO);
  }

  boolean canStep() {
    return library.isPresent();
  }

  /** What a process that shall have this clock is started with. */
  Map<String, String> environment() {
    return library
        .map(
            found ->
                Map.of(
                    "LD_PRELOAD", found.toString(),
                    "FAKETIME_TIMESTAMP_FILE", file.toString(),
                    "FAKETIME_CACHE_DURATION", "1",
                    "FAKETIME_DONT_FAKE_MONOTONIC", "1",
                    // else every timed wait of the JVM would end at once after a step
                    "FAKETIME_FORCE_MONOTONIC_FIX", "0",
                    "NO_FAKE_STAT", "1"))
        .orElse(Map.of());
  }

  /** From now on, within a second, the clock is so far ahead of the real one. */
  void step(Duration ahead) throws IOException {
    Path next =
        Files.writeString(file.resolveSibling("clock.next"), "%+d".formatted(ahead.toSeconds()));
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
