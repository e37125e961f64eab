package dev.millrace.server.exec;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What tells a process from all others that have or had its number: when it started. On Linux that
 * is counted in clock ticks since the boot, which the boot's id completes; elsewhere it is what
 * {@link ProcessHandle} says.
 *
 * @param boot empty where the system has no such id
 */
record ProcessIdentity(long pid, String start, String boot) {
  private static final Path PROCESSES = Path.of("/proc");
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

  /** The number of the start time among the fields that follow the name in proc(5). */
  private static final int START = 19;

  /** The process that has that number now, also if it is a zombie; empty if there is none. */
  static Optional<ProcessIdentity> of(long pid) {
    try {
      String boot = Files.readString(BOOT, StandardCharsets.US_ASCII).strip();
      Path stat = PROCESSES.resolve(Long.toString(pid)).resolve("stat");
      return startOf(Files.readString(stat, StandardCharsets.ISO_8859_1))
          .map(start -> new ProcessIdentity(pid, start, boot));
    } catch (IOException e) {
      return Files.isReadable(BOOT) ? Optional.empty() : ofHandle(pid);
    }
  }

  /** {@code pid (name) state ppid …}, where the name may contain anything. */
  static Optional<String> startOf(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
    return fields.length > START ? Optional.of(fields[START]) : Optional.empty();
  }

  private static Optional<ProcessIdentity> ofHandle(long pid) {
    return ProcessHandle.of(pid)
        .flatMap(process -> process.info().startInstant())
        .map(start -> new ProcessIdentity(pid, Long.toString(start.toEpochMilli()), ""));
  }

  /** Whether that process is still there. */
  boolean isPresent() {
    return of(pid).filter(this::equals).isPresent();
  }
}
