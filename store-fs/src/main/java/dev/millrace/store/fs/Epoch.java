package dev.millrace.store.fs;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** How often the workspace has changed hands: part of every token, synced before any is granted. */
final class Epoch {
  private Epoch() {}

  static long next(Disk disk, Places places) throws IOException {
    Path file = places.own("epoch");
    long last;
    try {
      last = Long.parseLong(Text.of(file, disk.read(file, 100)).strip());
    } catch (NoSuchFileException e) {
      last = 0;
    } catch (NumberFormatException e) {
      throw new IOException(
          file
              + " does not hold a number; if no server runs, put a number there"
              + " that is higher than any \"epoch\" in the jobs' events.jsonl",
          e);
    }
    Path temporary = places.own("epoch.tmp");
    disk.writeSynced(temporary, Text.bytes((last + 1) + "\n"));
    disk.rename(temporary, file);
    disk.syncDirectory(file.getParent());
    return last + 1;
  }
}
