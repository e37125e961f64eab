package dev.millrace.store.fs.internal.disk;

import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What a workspace does when its disk is full, or nearly so. */
public final class FullDisk {
  /**
   * With fewer bytes, nothing new is accepted: the rest is for the results of running tasks, and
   * for the levers that free space.
   */
  public static final long MIN_FREE = 4L << 20;

  private FullDisk() {}

  /** Something that may find the disk full. */
  @FunctionalInterface
  public interface Action<T, X extends Exception> {
    T run() throws X;
  }

  /**
   * Runs what must work on a full disk, too: it is repeated with a part of the reserve as long as
   * it fails for want of space and there is one.
   */
  public static <T, X extends Exception> T withReserve(Disk disk, Action<T, X> action) throws X {
    while (true) {
      try {
        return action.run();
      } catch (Exception e) {
        if (!isFull(e) || !disk.releaseReserve()) {
          throw e;
        }
      }
    }
  }

  private static boolean isFull(Exception e) {
    return switch (e) {
      case StoreException known -> known.trouble() == Trouble.FULL;
      case IOException unknown -> isFull(reason(unknown));
      default -> false;
    };
  }

  /** Whether an error of the operating system says that there is no space. */
  public static boolean isFull(String reason) {
    return reason.contains("No space left") || reason.contains("Disk quota exceeded");
  }

  private static String reason(IOException e) {
    @Nullable String said =
        e instanceof FileSystemException file ? file.getReason() : e.getMessage();
    return String.valueOf(said);
  }

  /** Refuses what is new on a disk that is nearly full. */
  public static void requireSpace(Disk disk, Path root) throws IOException {
    requireSpace(disk, root, MIN_FREE);
  }

  /** As the other method, for a trial: what comes and goes with each job must not flap. */
  public static void requireAmpleSpace(Disk disk, Path root) throws IOException {
    requireSpace(disk, root, 2 * MIN_FREE);
  }

  private static void requireSpace(Disk disk, Path root, long least) throws IOException {
    long free = disk.freeBytes();
    if (free >= 0 && free < least) {
      throw new FileSystemException(
          root.toString(),
          null,
          "No space left on device: "
              + free
              + " bytes are free, and the last "
              + least
              + " are kept for results and levers");
    }
  }
}
