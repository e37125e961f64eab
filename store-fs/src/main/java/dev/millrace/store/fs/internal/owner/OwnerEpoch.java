package dev.millrace.store.fs.internal.owner;

import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.StrictUtf8;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * How often the workspace has changed its owner. Part of every token, and synced before any is
 * granted.
 */
final class OwnerEpoch {
  private OwnerEpoch() {}

  static long next(Disk disk, WorkspaceLayout layout) throws IOException {
    Path file = layout.internalPath("epoch");
    long last;
    try {
      last = Long.parseLong(StrictUtf8.of(file, disk.read(file, 100)).strip());
    } catch (NoSuchFileException e) {
      last = 0;
    } catch (NumberFormatException e) {
      throw new IOException(
          file
              + " does not hold a number; if no server runs, put a number there"
              + " that is higher than any \"epoch\" in the jobs' events.jsonl",
          e);
    }
    Path temporary = layout.internalPath("epoch.tmp");
    disk.writeSynced(temporary, StrictUtf8.bytes((last + 1) + "\n"));
    disk.rename(temporary, file);
    disk.syncDirectory(file.getParent());
    return last + 1;
  }
}
