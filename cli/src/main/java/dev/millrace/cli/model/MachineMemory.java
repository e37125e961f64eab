package dev.millrace.cli.model;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The memory of this machine, in bytes.
 *
 * @param installed in the machine
 * @param limit what its container may take; empty if there is no limit below {@code installed}
 * @param available what a program could take now, without swapping
 */
public record MachineMemory(long installed, OptionalLong limit, long available) {

  public static MachineMemory read() {
    return read(Path.of("/"));
  }

  /**
   * @param root the root of the file system
   */
  static MachineMemory read(Path root) {
    Path file = root.resolve("proc/meminfo");
    long installed = kilobytes(file, "MemTotal:").orElseGet(MachineMemory::systemTotal);
    long available = kilobytes(file, "MemAvailable:").orElseGet(MachineMemory::systemFree);
    Optional<CgroupMemory> group =
        CgroupMemory.read(root).filter(limited -> limited.limit() < installed);
    return new MachineMemory(
        installed,
        group.map(limited -> OptionalLong.of(limited.limit())).orElse(OptionalLong.empty()),
        Math.min(available, group.map(CgroupMemory::left).orElse(available)));
  }

  /** What this process can ever have. */
  public long total() {
    return limit.orElse(installed);
  }

  private static OptionalLong kilobytes(Path file, String name) {
    try {
      for (String line : Files.readAllLines(file)) {
        if (line.startsWith(name)) {
          String number = line.substring(name.length()).replace("kB", "").strip();
          return OptionalLong.of(Long.parseLong(number) << 10);
        }
      }
    } catch (IOException | NumberFormatException e) {
      return OptionalLong.empty(); // not Linux
    }
    return OptionalLong.empty();
  }

  private static long systemTotal() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
        ? system.getTotalMemorySize()
        : Runtime.getRuntime().maxMemory();
  }

  private static long systemFree() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
        ? system.getFreeMemorySize()
        : Runtime.getRuntime().maxMemory();
  }
}
