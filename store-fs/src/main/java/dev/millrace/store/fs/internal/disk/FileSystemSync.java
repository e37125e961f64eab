package dev.millrace.store.fs.internal.disk;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Syncs a whole file system with one {@code syncfs(2)}. */
final class FileSystemSync {
  private final Posix posix;
  private final int directory;

  private FileSystemSync(Posix posix, int directory) {
    this.posix = posix;
    this.directory = directory;
  }

  /** Null if the system has no such call. */
  static @Nullable FileSystemSync open(Path root) throws IOException {
    try {
      Posix posix = new Posix();
      return posix.hasSyncfs() ? new FileSystemSync(posix, posix.openToRead(root)) : null;
    } catch (UnsupportedOperationException | IllegalCallerException e) {
      return null; // the platform has no foreign functions, or they are not allowed
    }
  }

  void sync() throws IOException {
    posix.syncfs(directory);
  }
}
