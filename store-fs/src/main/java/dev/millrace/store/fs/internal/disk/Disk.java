package dev.millrace.store.fs.internal.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Predicate;

/**
 * Every file operation of the store, and no other. Symbolic links are never followed at the last
 * step of a path. Nothing is durable before it is synced: contents by {@link #syncFile}, names (of
 * new files and renamed directories) by {@link #syncDirectory} of the directory that holds them.
 *
 * <p>Tests put a disk here that fails, stops or forgets at any operation.
 */
public interface Disk {

  /** What stands at a path. */
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

  /** Creates a directory that must not exist, in one that must. */
  void createDirectory(Path directory) throws IOException;

  /** Writes a whole file, new or replaced. */
  void write(Path file, byte[] content) throws IOException;

  /** As {@link #write}, and syncs the contents. */
  void writeSynced(Path file, byte[] content) throws IOException;

  /** Adds to the end of a file, which is created if it is not there. */
  void append(Path file, byte[] content) throws IOException;

  /** The whole file; one over {@code most} bytes is refused with {@link FileTooLargeException}. */
  byte[] read(Path file, int most) throws IOException;

  /** {@code length} bytes from {@code offset}; fewer at the end of the file. */
  byte[] read(Path file, long offset, int length) throws IOException;

  /** Cuts the file to {@code length} bytes. */
  void truncate(Path file, long length) throws IOException;

  /** Atomic; an empty directory or a file at {@code to} is replaced, anything else refused. */
  void rename(Path from, Path to) throws IOException;

  /** Removes a file or an empty directory. */
  void delete(Path path) throws IOException;

  /** Gives the names in a directory one by one, in no order, until the visitor has had enough. */
  void list(Path directory, Predicate<String> visitor) throws IOException;

  void syncFile(Path file) throws IOException;

  void syncDirectory(Path directory) throws IOException;

  /** Makes everything durable that was done so far; false if this disk cannot. */
  boolean syncAll() throws IOException;

  /** A file over the limit for its kind. */
  final class FileTooLargeException extends IOException {
    private static final long serialVersionUID = 1L;

    FileTooLargeException(Path file, long size, long most) {
      super(file.getFileName() + ": " + size + " bytes, at most " + most);
    }
  }

  /** Something at a path that is not the regular file or directory it should be. */
  final class NotRegularException extends IOException {
    private static final long serialVersionUID = 1L;

    NotRegularException(Path file) {
      super(file.getFileName() + " is not a regular file");
    }
  }
}
