package dev.millrace.store.fs.internal.disk;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;

/** Changes that must be synced before they are reported. */
public final class UnsyncedChanges {

  /** From this many files and directories on, one sync of the whole file system is faster. */
  private static final int ALL_FROM = 5;

  private final Set<Path> files = new LinkedHashSet<>();
  private final Set<Path> directories = new LinkedHashSet<>();
  private long batch;

  public UnsyncedChanges addFile(Path file) {
    files.add(file);
    return this;
  }

  public UnsyncedChanges addDirectory(Path directory) {
    directories.add(directory);
    return this;
  }

  public void add(UnsyncedChanges other) {
    files.addAll(other.files);
    directories.addAll(other.directories);
  }

  /** Marks the content as part of that sync. */
  void enlistedIn(long number) {
    files.clear();
    directories.clear();
    batch = number;
  }

  /** The last sync that it waits for. */
  public long lastSync() {
    return batch;
  }

  public boolean isEmpty() {
    return files.isEmpty() && directories.isEmpty();
  }

  /** Files before the directories that name them. */
  void sync(Disk disk) throws IOException {
    if (files.size() + directories.size() >= ALL_FROM && disk.syncAll()) {
      return;
    }
    for (Path file : files) {
      unlessMoved(() -> disk.syncFile(file));
    }
    for (Path directory : directories) {
      unlessMoved(() -> disk.syncDirectory(directory));
    }
  }

  private interface Call {
    void run() throws IOException;
  }

  /**
   * A job's directory may be renamed after it was added here and before it is synced. The thread
   * that renames syncs the contents first, so nothing is left to do under the old name.
   */
  private static void unlessMoved(Call sync) throws IOException {
    try {
      sync.run();
    } catch (NoSuchFileException e) {
      // see above; a job deleted by hand cannot be synced either
    }
  }
}
