package dev.millrace.cli.serve;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a server that died has left of its announcement. */
final class StaleAnnouncement {
  private StaleAnnouncement() {}

  /**
   * Whether a process that is gone announced itself. One that lives may just have taken the lock:
   * its announcement stays, whatever a look at the lock said a moment ago.
   */
  static boolean isPresent(Path workspace) {
    try {
      long pid = Long.parseLong(Files.readString(workspace.resolve(".nrvnad.pid")).strip());
      return ProcessHandle.of(pid).isEmpty();
    } catch (IOException | NumberFormatException e) {
      return false;
    }
  }
}
