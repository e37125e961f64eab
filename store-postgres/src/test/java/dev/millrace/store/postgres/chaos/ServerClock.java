package dev.millrace.store.postgres.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The wall clock of a server, which Debian's libfaketime sets hours away from the real one, also
 * while the server runs. Its monotonic clock stays as it is.
 */
final class ServerClock {
  private static final Optional<Path> LIBRARY =
      List.of(
              Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"),
              Path.of("/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1"))
          .stream()
          .filter(Files::exists)
          .findFirst();

  private final Path file;

  ServerClock(Path file, Duration ahead) throws IOException {
    this.file = file;
    set(ahead);
  }

  static boolean canBeSet() {
    return LIBRARY.isPresent();
  }

  /** What a process that shall have this clock is started with. */
  Map<String, String> environment() {
    return LIBRARY
        .map(
            library ->
                Map.of(
                    "LD_PRELOAD", library.toString(),
                    "FAKETIME_TIMESTAMP_FILE", file.toString(),
                    "FAKETIME_CACHE_DURATION", "1",
                    "FAKETIME_DONT_FAKE_MONOTONIC", "1",
                    // else every timed wait of the JVM would end at once after a step
                    "FAKETIME_FORCE_MONOTONIC_FIX", "0",
                    "NO_FAKE_STAT", "1"))
        .orElse(Map.of());
  }

  /** From now on, within a second, the clock is so far ahead of the real one. */
  void set(Duration ahead) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    Files.writeString(next, "%+d".formatted(ahead.toSeconds()));
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
