package dev.millrace.store.fs.internal.disk;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** One {@code syncfs(2)} for everything that was written to a file system. */
final class FileSystemSync {
  private final Posix posix;
  private final int directory;

  private FileSystemSync(Posix posix, int directory) {
    this.posix = posix;
    this.directory = directory;
  }

  /** Null where the system has no such call. */
  static @Nullable FileSystemSync open(Path root) throws IOException {
    try {
      Posix posix = new Posix();
      return posix.hasSyncfs() ? new FileSystemSync(posix, posix.openDirectory(root)) : null;
    } catch (UnsupportedOperationException | IllegalCallerException e) {
      return null; // no foreign functions on this platform, or not allowed to this program
    }
  }

  void sync() throws IOException {
    posix.syncfs(directory);
  }
}
