package dev.millrace.cli.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Checks the system's inotify limits: new jobs are noticed by events, not by polling. */
public final class WatchLimitsCheck {
  private static final Path LIMITS = Path.of("/proc/sys/fs/inotify");

  /** A server needs one instance and a handful of watches; other programs have theirs. */
  private static final long INSTANCES = 16;

  private static final long WATCHES = 1_024;

  public void run(Findings findings) {
    try {
      long instances = limit("max_user_instances");
      long watches = limit("max_user_watches");
      String text = instances + " instances, " + watches + " watches for each user";
      if (instances < INSTANCES || watches < WATCHES) {
        findings.warn(
            "inotify",
            text,
            "raise fs.inotify.max_user_instances and max_user_watches with sysctl; else jobs may be"
                + " picked up late");
      } else {
        findings.ok("inotify", text);
      }
    } catch (IOException | NumberFormatException e) {
      findings.ok("inotify", "no limits to read on this system");
    }
  }

  /** Reads it with one call: the kernel ends such a file after the first read. */
  private static long limit(String name) throws IOException {
    byte[] digits = new byte[32];
    try (InputStream in = Files.newInputStream(LIMITS.resolve(name))) {
      int length = Math.max(0, in.read(digits));
      return Long.parseLong(new String(digits, 0, length, StandardCharsets.US_ASCII).strip());
    }
  }
}
