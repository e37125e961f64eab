package dev.millrace.cli.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the memory of this process as the system counts it; 0 if unknown. */
final class ProcessMemory {
  private ProcessMemory() {}

  static long residentBytes() {
    return status("VmRSS:");
  }

  static long peakBytes() {
    return status("VmHWM:");
  }

  private static long status(String name) {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith(name)) {
          return Long.parseLong(line.substring(name.length()).replace("kB", "").strip()) << 10;
        }
      }
    } catch (IOException | NumberFormatException e) {
      return 0;
    }
    return 0;
  }
}
