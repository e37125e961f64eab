package dev.millrace.cli.place;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** The files that tell about the owner of a workspace's directory, and its process. */
final class OwnerFiles {
  private OwnerFiles() {}

  /**
   * Whether the announcing process is dead, or another one has its number by now. A live one may
   * just have taken the lock: its announcement stays, even if the lock was free a moment ago.
   */
  static boolean isAnnouncementStale(Path root) {
    try {
      long pid = Long.parseLong(Files.readString(root.resolve(".nrvnad.pid")).strip());
      return ProcessHandle.of(pid).isEmpty() || !mayHoldLock(root, pid);
    } catch (NoSuchFileException | NumberFormatException e) {
      return true; // it is written first and removed last
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether it has the lock file open; assumed where the system does not say. */
  static boolean mayHoldLock(Path root, long pid) {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("/proc/" + pid + "/fd"))) {
      Path lock = root.resolve(".nrvnad.lock").toRealPath();
      for (Path file : files) {
        try {
          if (Files.readSymbolicLink(file).equals(lock)) {
            return true;
          }
        } catch (IOException e) {
          // closed meanwhile
        }
      }
      return false;
    } catch (IOException e) {
      return true;
    }
  }
}
