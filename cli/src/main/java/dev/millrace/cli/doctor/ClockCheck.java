package dev.millrace.cli.doctor;

import dev.millrace.core.job.JobId;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Checks the clock: wall time and monotonic time must pass at the same speed while the other checks
 * run. No job may come from the future, because ids, and so the order of the queue, come from the
 * clock.
 */
public final class ClockCheck {
  private static final double DRIFT_MS = 20;
  private static final Duration FUTURE = Duration.ofMinutes(1);

  private final Instant wall = Instant.now();
  private final long monotonic = System.nanoTime();

  private ClockCheck() {}

  public static ClockCheck begin() {
    return new ClockCheck();
  }

  public void end(@Nullable Path workspace, Findings findings) throws IOException {
    double elapsed = (System.nanoTime() - monotonic) / 1e6;
    double drift = Duration.between(wall, Instant.now()).toNanos() / 1e6 - elapsed;
    String text =
        String.format(
            Locale.ROOT, "wall and monotonic differ by %.1f ms in %.0f ms", drift, elapsed);
    if (Math.abs(drift) > DRIFT_MS) {
      findings.warn("clock", text, "something sets the clock in jumps; let NTP slew it");
    } else {
      findings.ok("clock", text);
    }
    if (workspace != null) {
      future(workspace, findings);
    }
  }

  private static void future(Path workspace, Findings findings) throws IOException {
    long limit = Instant.now().plus(FUTURE).toEpochMilli() * 1_000;
    int count = 0;
    String example = "";
    for (String each : DirectoriesCheck.NAMES) {
      Path directory = workspace.resolve(each);
      if (!Files.isDirectory(directory)) {
        continue;
      }
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
        for (Path entry : entries) {
          String name = entry.getFileName().toString();
          if (JobId.isValid(name) && new JobId(name).micros() > limit) {
            count++;
            example = name;
          }
        }
      }
    }
    if (count > 0) {
      findings.warn(
          "ids",
          count + " jobs come from the future, for example " + example,
          "set the clock; until then they wait behind every new job");
    }
  }
}
