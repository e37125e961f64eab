package dev.millrace.store.fs.internal.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The lock of a workspace's owner: {@code flock(2)} on {@code .nrvnad.lock}. A held lock means a
 * live process: the system releases it with the process, however that ends. (Java's FileLock is
 * another kind of lock.)
 */
public final class OwnerLock implements AutoCloseable {
  public static final String FILE = ".nrvnad.lock";

  private final Posix posix;
  private final int fd;
  private final Path file;
  private final @Nullable Object inode;
  private final AtomicBoolean closed = new AtomicBoolean();

  private OwnerLock(Posix posix, int fd, Path file) throws IOException {
    this.posix = posix;
    this.fd = fd;
    this.file = file;
    this.inode = inode(Path.of("/proc/self/fd/" + fd));
  }

  /** The identity of the file at a path; null if the system does not tell. */
  private static @Nullable Object inode(Path path) throws IOException {
    try {
      return Files.getAttribute(path, "unix:ino");
    } catch (UnsupportedOperationException | NoSuchFileException e) {
      return null;
    }
  }

  /**
   * Whether the lock file is still the one that is locked. If someone deletes it, a second owner
   * can start: then this one must stop.
   */
  public boolean isIntact() throws IOException {
    return inode == null || inode.equals(inode(file));
  }

  /** Takes the lock; empty if another process, or another store of this one, holds it. */
  public static Optional<OwnerLock> tryAcquire(Path root) throws IOException {
    Posix posix = new Posix();
    Path file = root.resolve(FILE);
    WorkspaceAccess.of(root).createFile(file);
    int fd = posix.openFile(file);
    if (!posix.tryLock(fd)) {
      posix.close(fd);
      return Optional.empty();
    }
    OwnerLock lock = new OwnerLock(posix, fd, file);
    if (!lock.isIntact()) {
      lock.close(); // deleted between opening and locking it
      return Optional.empty();
    }
    try {
      writePid(file);
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    }
    return Optional.of(lock);
  }

  /** In place: a full disk has no other block for it. */
  private static void writePid(Path file) throws IOException {
    byte[] pid = (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
      channel.write(ByteBuffer.wrap(pid));
      channel.truncate(pid.length);
    }
  }

  /** Whether a process holds it now. */
  public static boolean isHeld(Path root) throws IOException {
    if (!Files.exists(root.resolve(FILE))) {
      return false;
    }
    Posix posix = new Posix();
    int fd = posix.openToRead(root.resolve(FILE)); // also on a read-only file system
    try {
      return !posix.tryLock(fd);
    } finally {
      posix.close(fd);
    }
  }

  /** Closes the file once: its number may be that of another one by the second time. */
  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    try {
      posix.close(fd);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
