package dev.millrace.store.fs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Ownership of a workspace: {@code flock(2)} on {@code .nrvnad.lock}. Held means alive: the system
 * drops it with the process, however that ends. (Java's own FileLock is another kind of lock.)
 */
final class OwnerLock implements AutoCloseable {
  static final String FILE = ".nrvnad.lock";

  private final Posix posix;
  private final int fd;

  private OwnerLock(Posix posix, int fd) {
    this.posix = posix;
    this.fd = fd;
  }

  /** Empty if another process, or another store of this one, holds it. */
  static Optional<OwnerLock> tryAcquire(Path root) throws IOException {
    Posix posix = new Posix();
    Path file = root.resolve(FILE);
    int fd = posix.openFile(file);
    if (!posix.tryLock(fd)) {
      posix.close(fd);
      return Optional.empty();
    }
    Files.write(file, (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII));
    return Optional.of(new OwnerLock(posix, fd));
  }

  /** Whether somebody holds it now. */
  static boolean isHeld(Path root) throws IOException {
    if (!Files.exists(root.resolve(FILE))) {
      return false;
    }
    Posix posix = new Posix();
    int fd = posix.openFile(root.resolve(FILE));
    try {
      return !posix.tryLock(fd);
    } finally {
      posix.close(fd);
    }
  }

  @Override
  public void close() {
    try {
      posix.close(fd);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
