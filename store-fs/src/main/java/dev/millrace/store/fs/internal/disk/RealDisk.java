package dev.millrace.store.fs.internal.disk;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.time.Instant;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The disk of the operating system. Thread-safe. */
public final class RealDisk implements Disk {
  private static final Set<OpenOption> WRITING =
      Set.of(CREATE, WRITE, TRUNCATE_EXISTING, NOFOLLOW_LINKS);
  private static final Set<OpenOption> APPENDING = Set.of(CREATE, APPEND, NOFOLLOW_LINKS);
  private static final Set<OpenOption> READING = Set.of(READ, NOFOLLOW_LINKS);

  private static final FileAttribute<?>[] NOT_NEW = {};

  private final Path root;
  private final WorkspaceAccess access;
  private final DiskReserve reserve;
  private volatile @Nullable FileSystemSync sync;
  private volatile boolean syncTried;

  public RealDisk(Path root) {
    this(root, WorkspaceAccess.of(root));
  }

  private RealDisk(Path root, WorkspaceAccess access) {
    this.root = root;
    this.access = access;
    this.reserve = new DiskReserve(root, access);
  }

  /** As the constructor; what does not exist is created for a group, what exists must be its. */
  public static RealDisk sharedWith(Path root, String group) throws IOException {
    return new RealDisk(root, WorkspaceAccess.ofGroup(root, group));
  }

  @Override
  public Kind kind(Path path) throws IOException {
    try {
      BasicFileAttributes found =
          Files.readAttributes(path, BasicFileAttributes.class, NOFOLLOW_LINKS);
      return found.isRegularFile() ? Kind.FILE : found.isDirectory() ? Kind.DIRECTORY : Kind.OTHER;
    } catch (NoSuchFileException e) {
      return Kind.NOTHING;
    }
  }

  @Override
  public long size(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class, NOFOLLOW_LINKS).size();
  }

  @Override
  public Instant modified(Path directory) throws IOException {
    return Files.getLastModifiedTime(directory, NOFOLLOW_LINKS).toInstant();
  }

  @Override
  public void createDirectory(Path directory) throws IOException {
    access.createDirectory(directory);
  }

  /** An action on an open file. */
  @FunctionalInterface
  private interface Use<T> {
    T with(FileChannel channel) throws IOException;
  }

  /**
   * Opens, uses and closes a file. An interrupt closes a channel during its work: then the action
   * is repeated, and the thread is interrupted afterwards.
   */
  private static <T> T use(Path file, Set<OpenOption> options, FileAttribute<?>[] ifNew, Use<T> use)
      throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        try (FileChannel channel = FileChannel.open(file, options, ifNew)) {
          return use.with(channel);
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void write(Path file, byte[] content) throws IOException {
    change(file, WRITING, channel -> all(channel, content, 0));
  }

  @Override
  public void writeSynced(Path file, byte[] content) throws IOException {
    change(
        file,
        WRITING,
        channel -> {
          all(channel, content, 0);
          channel.force(true);
          return channel;
        });
  }

  @Override
  public void append(Path file, byte[] content) throws IOException {
    long[] end = {-1};
    change(
        file,
        APPENDING,
        channel -> {
          end[0] = end[0] < 0 ? channel.size() : end[0];
          return all(channel, content, end[0]);
        });
  }

  /** As {@link #use}, for a file that is created if it does not exist. */
  private void change(Path file, Set<OpenOption> options, Use<FileChannel> use) throws IOException {
    Kind kind = kind(file);
    if (kind == Kind.FILE) {
      use(file, options, NOT_NEW, use);
    } else if (kind == Kind.NOTHING) {
      use(
          file,
          options,
          access.ofNewFile(),
          channel -> {
            access.opened(file);
            return use.with(channel);
          });
    } else {
      throw new NotRegularException(file); // opening a FIFO would wait for a reader
    }
  }

  /** Leaves the file unchanged if it cannot take all of {@code content}. */
  private static FileChannel all(FileChannel channel, byte[] content, long end) throws IOException {
    if (channel.size() > end) {
      channel.truncate(end); // written before an interrupt closed the channel
    }
    ByteBuffer buffer = ByteBuffer.wrap(content);
    try {
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    } catch (IOException e) {
      if (channel.isOpen()) {
        channel.truncate(end);
      }
      throw e;
    }
    return channel;
  }

  @Override
  public byte[] read(Path file, int most) throws IOException {
    requireFile(file);
    return use(
        file,
        READING,
        NOT_NEW,
        channel -> {
          long size = channel.size();
          if (size > most) {
            throw new FileTooLargeException(file, size, most);
          }
          return fill(channel, 0, (int) size);
        });
  }

  @Override
  public byte[] read(Path file, long offset, int length) throws IOException {
    requireFile(file);
    return use(
        file,
        READING,
        NOT_NEW,
        channel -> fill(channel, offset, Math.clamp(channel.size() - offset, 0, length)));
  }

  /** Opening a FIFO for reading would wait for a writer that may never come. */
  private static void requireFile(Path file) throws IOException {
    if (!Files.readAttributes(file, BasicFileAttributes.class, NOFOLLOW_LINKS).isRegularFile()) {
      throw new NotRegularException(file);
    }
  }

  private static byte[] fill(FileChannel channel, long offset, int length) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    while (buffer.hasRemaining() && channel.read(buffer, offset + buffer.position()) >= 0) {
      // until the end of the file or of the buffer
    }
    return buffer.hasRemaining()
        ? java.util.Arrays.copyOf(buffer.array(), buffer.position())
        : buffer.array();
  }

  @Override
  public void truncate(Path file, long length) throws IOException {
    use(file, Set.of(WRITE, NOFOLLOW_LINKS), NOT_NEW, channel -> channel.truncate(length));
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void delete(Path path) throws IOException {
    Files.delete(path);
  }

  @Override
  public void list(Path directory, Predicate<String> visitor) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        if (!visitor.test(entry.getFileName().toString())) {
          return;
        }
      }
    } catch (java.nio.file.DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  @Override
  public void syncFile(Path file) throws IOException {
    use(file, READING, NOT_NEW, RealDisk::forced);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    use(directory, READING, NOT_NEW, RealDisk::forced);
  }

  private static FileChannel forced(FileChannel channel) throws IOException {
    channel.force(true);
    return channel;
  }

  @Override
  public boolean syncAll() throws IOException {
    if (!syncTried) {
      synchronized (this) {
        if (!syncTried) {
          sync = FileSystemSync.open(root);
          syncTried = true;
        }
      }
    }
    FileSystemSync present = sync;
    if (present != null) {
      present.sync();
    }
    return present != null;
  }

  /** By one {@code statfs(2)}: every submission and every claim asks. */
  @Override
  public long freeBytes() {
    File at = root.toFile();
    long free = at.getUsableSpace();
    return free > 0 || at.getTotalSpace() > 0 ? free : -1;
  }

  @Override
  public void fillReserve() throws IOException {
    reserve.fill(freeBytes());
  }

  @Override
  public boolean releaseReserve() {
    return reserve.release();
  }
}
