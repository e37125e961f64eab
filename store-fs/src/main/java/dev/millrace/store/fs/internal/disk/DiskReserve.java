package dev.millrace.store.fs.internal.disk;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;

/**
 * Space that a workspace keeps for the time when its disk is full: opening it, deleting jobs and
 * asking its owner to need a few blocks and inodes. It is in several files, each enough for one of
 * these, so that what takes the first one does not take all. Thread-safe.
 */
final class DiskReserve {
  private static final int FILES = 16;
  private static final int FILE_BYTES = 64 << 10;

  /** With less than this, others need the space more. */
  private static final long MIN_FREE_TO_FILL = 32L * FILES * FILE_BYTES;

  private final Path directory;
  private final WorkspaceAccess access;

  DiskReserve(Path workspace, WorkspaceAccess access) {
    this.access = access;
    this.directory = workspace.resolve(".millrace").resolve("reserve");
  }

  /**
   * Makes the missing files.
   *
   * @param free bytes on this disk; -1 if unknown
   */
  synchronized void fill(long free) throws IOException {
    if (free < MIN_FREE_TO_FILL || Files.exists(file(FILES - 1)) && Files.exists(file(0))) {
      return;
    }
    try {
      access.createDirectory(directory);
    } catch (FileAlreadyExistsException e) {
      // as it should be
    }
    byte[] content = new byte[FILE_BYTES];
    new SplittableRandom(1).nextBytes(content); // some file systems store zeros in no space
    for (int i = 0; i < FILES; i++) {
      if (!Files.exists(file(i))) {
        access.createFile(file(i));
        Files.write(file(i), content, StandardOpenOption.WRITE);
      }
    }
  }

  private Path file(int number) {
    return directory.resolve(Integer.toString(number));
  }

  /** Deletes one file; false if there was none. Other processes may do so, too. */
  synchronized boolean release() {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path each : files) {
        try {
          Files.delete(each);
          return true;
        } catch (NoSuchFileException e) {
          // another process was faster
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // there is none, or it may not be changed
    }
    return false;
  }
}
