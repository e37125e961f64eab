package dev.millrace.store.fs.internal.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Predicate;

/**
 * All file operations of the store. Symbolic links are never followed at the last step of a path.
 * Nothing is durable before it is synced: contents by {@link #syncFile}, names (of new files and
 * renamed directories) by {@link #syncDirectory} of the directory that holds them.
 *
 * <p>Tests use a disk that fails, stops or loses data at any operation.
 */
public interface Disk {

  /** What is at a path. */
  enum Kind {
    NOTHING,
    FILE,
    DIRECTORY,
    /** A symbolic link, FIFO, socket or device: never touched. */
    OTHER
  }

  Kind kind(Path path) throws IOException;

  /** The file's length in bytes. */
  long size(Path file) throws IOException;

  /** When the entries of the directory last changed. */
  Instant modified(Path directory) throws IOException;

  /** Creates a directory that must not exist; its parent must. */
  void createDirectory(Path directory) throws IOException;

  /** Writes a whole file, new or replaced. */
  void write(Path file, byte[] content) throws IOException;

  /** As {@link #write}, and syncs the contents. */
  void writeSynced(Path file, byte[] content) throws IOException;

  /** Appends to a file, which is created if necessary. */
  void append(Path file, byte[] content) throws IOException;

  /** The whole file; one over {@code most} bytes is refused with {@link FileTooLargeException}. */
  byte[] read(Path file, int most) throws IOException;

  /** {@code length} bytes from {@code offset}; fewer at the end of the file. */
  byte[] read(Path file, long offset, int length) throws IOException;

  /** Cuts the file to {@code length} bytes. */
  void truncate(Path file, long length) throws IOException;

  /**
   * Renames atomically. An empty directory or a file at {@code to} is replaced, anything else
   * refused.
   */
  void rename(Path from, Path to) throws IOException;

  /** Removes a file or an empty directory. */
  void delete(Path path) throws IOException;

  /**
   * Passes the names in a directory to the visitor one by one, unsorted, until it returns false.
   */
  void list(Path directory, Predicate<String> visitor) throws IOException;

  void syncFile(Path file) throws IOException;

  void syncDirectory(Path directory) throws IOException;

  /** Makes all earlier operations durable; false if this disk cannot. */
  boolean syncAll() throws IOException;

  /** What can still be written, in bytes; -1 if that is not known. */
  default long freeBytes() {
    return -1;
  }

  /** Sets space aside for the time when the disk is full, unless that is done or there is little. */
  default void fillReserve() throws IOException {}

  /** Frees a part of what was set aside; false if nothing is left of it. */
  default boolean releaseReserve() {
    return false;
  }

  /** A file is over the limit for its kind. */
  final class FileTooLargeException extends IOException {
    private static final long serialVersionUID = 1L;

    FileTooLargeException(Path file, long size, long most) {
      super(file.getFileName() + ": " + size + " bytes, at most " + most);
    }
  }

  /** A path has something else than the expected regular file or directory. */
  final class NotRegularException extends IOException {
    private static final long serialVersionUID = 1L;

    NotRegularException(Path file) {
      super(file.getFileName() + " is not a regular file");
    }
  }
}
