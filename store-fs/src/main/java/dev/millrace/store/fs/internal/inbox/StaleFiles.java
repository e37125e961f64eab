package dev.millrace.store.fs.internal.inbox;

import dev.millrace.store.fs.internal.disk.DirectoryDeleter;
import dev.millrace.store.fs.internal.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Deletes what processes have left that were killed while they talked to the owner. The age of a
 * file is how long this process has seen it: no clock that is set can make a file too old. Not
 * thread-safe.
 */
final class StaleFiles {
  /** Longer than any process waits for an answer. */
  static final Duration AGE = Duration.ofMinutes(2);

  /** Files that are remembered; the others have to wait. */
  private static final int MOST = 100_000;

  private final Disk disk;
  private final Path directory;
  private final Predicate<String> which;
  private final LongSupplier nanoTime;
  private final Map<String, Long> firstSeen = new HashMap<>();

  /**
   * @param which the files that someone fetches or renames soon, if alive
   */
  StaleFiles(Disk disk, Path directory, Predicate<String> which, LongSupplier nanoTime) {
    this.disk = disk;
    this.directory = directory;
    this.which = which;
    this.nanoTime = nanoTime;
  }

  /** Looks at the directory, and returns how many files were deleted. */
  int deleteOld() throws IOException {
    long now = nanoTime.getAsLong();
    Set<String> present = new HashSet<>();
    disk.list(
        directory,
        name -> {
          if (which.test(name)) {
            present.add(name);
          }
          return present.size() < MOST;
        });
    firstSeen.keySet().retainAll(present);
    int deleted = 0;
    for (String name : present) {
      if (now - firstSeen.computeIfAbsent(name, _ -> now) >= AGE.toNanos()) {
        DirectoryDeleter.delete(disk, directory.resolve(name));
        firstSeen.remove(name);
        deleted++;
      }
    }
    return deleted;
  }
}
