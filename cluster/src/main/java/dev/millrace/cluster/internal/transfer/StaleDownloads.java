package dev.millrace.cluster.internal.transfer;

import dev.millrace.cluster.internal.text.FileErrors;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/** Models in the cache that were begun and that nobody has gone on with for long. */
final class StaleDownloads {
  static final Duration KEPT = Duration.ofDays(7);

  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private StaleDownloads() {}

  /** Removes them; what cannot be removed is said and stays. */
  static void remove(Path cache, Instant now) throws IOException {
    List<Path> begun;
    try (var all = Files.list(cache)) {
      begun = all.filter(StaleDownloads::isBegun).toList();
    }
    for (Path directory : begun) {
      try {
        if (last(directory).isBefore(now.minus(KEPT))) {
          remove(directory);
        }
      } catch (IOException e) {
        String why = FileErrors.of(e);
        LOG.log(Level.WARNING, directory + ": what is left of a model cannot be removed: " + why);
      }
    }
  }

  private static boolean isBegun(Path path) {
    String name = path.getFileName().toString();
    int end = name.length() - PartialModelDirectory.ENDING.length();
    return name.endsWith(PartialModelDirectory.ENDING)
        && Sha256Hash.isHex(name.substring(0, end))
        && Files.isDirectory(path);
  }

  /** When something was last done there. */
  private static Instant last(Path directory) throws IOException {
    Instant last = Instant.MIN;
    try (var all = Files.walk(directory)) {
      for (Path path : all.toList()) {
        Instant time = Files.getLastModifiedTime(path).toInstant();
        last = time.isAfter(last) ? time : last;
      }
    }
    return last;
  }

  /** Unless another process has it: then it is wanted after all. */
  private static void remove(Path directory) throws IOException {
    try (FileChannel lock = PartialModelDirectory.openLock(directory)) {
      if (!PartialModelDirectory.tryLock(lock)) {
        return;
      }
      List<Path> inside;
      try (var all = Files.walk(directory)) {
        inside = all.sorted(Comparator.reverseOrder()).toList();
      }
      for (Path path : inside) {
        Files.delete(path);
      }
      LOG.log(
          Level.INFO,
          "{0}: removed, as nobody has gone on with it for {1} days",
          directory,
          KEPT.toDays());
    }
  }
}
