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

/** Removes partial models from the cache that nobody has continued for a week. */
final class StaleDownloads {
  static final Duration KEPT = Duration.ofDays(7);

  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private StaleDownloads() {}

  /** Removes all stale partial models; one that cannot be removed is logged and stays. */
  static void remove(Path cache, Instant now) throws IOException {
    List<Path> partial;
    try (var all = Files.list(cache)) {
      partial = all.filter(StaleDownloads::isPartialModel).toList();
    }
    for (Path directory : partial) {
      try {
        if (lastChange(directory).isBefore(now.minus(KEPT))) {
          remove(directory);
        }
      } catch (IOException e) {
        String why = FileErrors.of(e);
        LOG.log(Level.WARNING, directory + ": a partial model cannot be removed: " + why);
      }
    }
  }

  private static boolean isPartialModel(Path path) {
    String name = path.getFileName().toString();
    int end = name.length() - PartialModelDirectory.ENDING.length();
    return name.endsWith(PartialModelDirectory.ENDING)
        && Sha256Hash.isHex(name.substring(0, end))
        && Files.isDirectory(path);
  }

  /** When a file in the directory lastChange changed. */
  private static Instant lastChange(Path directory) throws IOException {
    Instant lastChange = Instant.MIN;
    try (var all = Files.walk(directory)) {
      for (Path path : all.toList()) {
        Instant time = Files.getLastModifiedTime(path).toInstant();
        lastChange = time.isAfter(lastChange) ? time : lastChange;
      }
    }
    return lastChange;
  }

  /** Removes a directory, unless another process holds its lock. */
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
      LOG.log(Level.INFO, "{0}: removed, unused for {1} days", directory, KEPT.toDays());
    }
  }
}
