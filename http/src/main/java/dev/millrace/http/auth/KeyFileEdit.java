package dev.millrace.http.auth;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A change of the file of keys: one at a time, also of several processes, and atomic for readers.
 * The lock is a file of its own beside it, because the file itself is replaced.
 */
final class KeyFileEdit {
  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  /** Java's file locks exclude other processes only. */
  private static final ReentrantLock IN_THIS_PROCESS = new ReentrantLock();

  private KeyFileEdit() {}

  /**
   * Changes the lines of the file, which is made if it is not there.
   *
   * @param change returns whether it has changed anything; if not, the file stays as it is
   * @throws IllegalArgumentException if the file breaks a rule, before or afterwards
   */
  static boolean apply(Path named, Predicate<List<String>> change) throws IOException {
    Path file = Files.exists(named) ? named.toRealPath() : named.toAbsolutePath();
    IN_THIS_PROCESS.lock();
    try (FileChannel lock = openLock(file);
        var _ = lock.lock()) {
      List<String> lines = read(file);
      ApiKeyFile.parse(lines); // a server would ignore the change of a file that breaks a rule
      boolean changed = change.test(lines);
      if (changed) {
        ApiKeyFile.parse(lines);
        replace(file, lines);
      }
      return changed;
    } finally {
      IN_THIS_PROCESS.unlock();
    }
  }

  private static FileChannel openLock(Path file) throws IOException {
    Path lock = file.resolveSibling("." + file.getFileName() + ".lock");
    try {
      return FileChannel.open(
          lock, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), PRIVATE);
    } catch (AccessDeniedException e) {
      throw new IOException(
          "this user may not write "
              + lock
              + ", which keeps others from changing the keys meanwhile; run this as its owner, or"
              + " as root",
          e);
    }
  }

  private static List<String> read(Path file) throws IOException {
    try {
      return new ArrayList<>(Files.readAllLines(file, StandardCharsets.UTF_8));
    } catch (NoSuchFileException e) {
      return new ArrayList<>();
    }
  }

  private static void replace(Path file, List<String> lines) throws IOException {
    Path directory = file.getParent();
    Path fresh = Files.createTempFile(directory, ".keys", null, PRIVATE);
    try {
      Files.write(fresh, lines, StandardCharsets.UTF_8, StandardOpenOption.TRUNCATE_EXISTING);
      keepOwnerAndMode(file, fresh);
      sync(fresh, StandardOpenOption.WRITE);
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
      sync(directory, StandardOpenOption.READ); // or a power loss brings a removed key back
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  /** A server that runs as another user must be able to read the file as before. */
  private static void keepOwnerAndMode(Path file, Path fresh) throws IOException {
    PosixFileAttributes before = attributes(file);
    if (before == null) {
      return;
    }
    PosixFileAttributeView view = Files.getFileAttributeView(fresh, PosixFileAttributeView.class);
    PosixFileAttributes now = view.readAttributes();
    try {
      if (!now.owner().equals(before.owner())) {
        view.setOwner(before.owner());
      }
      if (!now.group().equals(before.group())) {
        view.setGroup(before.group());
      }
    } catch (FileSystemException e) {
      throw new IOException(
          "this user may not keep its owner "
              + before.owner()
              + " and group "
              + before.group()
              + "; run this as its owner, or as root",
          e);
    }
    view.setPermissions(before.permissions());
  }

  private static @Nullable PosixFileAttributes attributes(Path file) throws IOException {
    try {
      return Files.readAttributes(file, PosixFileAttributes.class);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  private static void sync(Path path, StandardOpenOption option) throws IOException {
    try (FileChannel channel = FileChannel.open(path, option)) {
      channel.force(true);
    }
  }
}
