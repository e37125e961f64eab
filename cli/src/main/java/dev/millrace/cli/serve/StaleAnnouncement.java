package dev.millrace.cli.serve;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Detects the announcement of a server that died. */
final class StaleAnnouncement {
  private StaleAnnouncement() {}

  /**
   * Whether the announcing process is dead. A live one may just have taken the lock: its
   * announcement stays, even if the lock was free a moment ago.
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
