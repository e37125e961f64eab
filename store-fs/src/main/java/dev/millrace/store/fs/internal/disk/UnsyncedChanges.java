package dev.millrace.store.fs.internal.disk;

import dev.millrace.core.job.JobId;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;

/** What has to be synced before anyone may be told. */
public final class UnsyncedChanges {

  /** From this many files and directories on, one sync of the file system is quicker. */
  private static final int ALL_FROM = 5;

  private final Set<Path> files = new LinkedHashSet<>();
  private final Set<Path> directories = new LinkedHashSet<>();
  private final Set<JobId> levers = new LinkedHashSet<>();
  private final Set<JobId> changed = new LinkedHashSet<>();
  private long batch;

  public UnsyncedChanges addFile(Path file) {
    files.add(file);
    return this;
  }

  public UnsyncedChanges addDirectory(Path directory) {
    directories.add(directory);
    return this;
  }

  /** Whose running tasks have something to know, once all of this is durable. */
  public Set<JobId> jobsWithLever() {
    return levers;
  }

  /** Whose logs or places it is about; whoever watches is told once all of this is durable. */
  public Set<JobId> changedJobs() {
    return changed;
  }

  public void add(UnsyncedChanges other) {
    files.addAll(other.files);
    directories.addAll(other.directories);
  }

  /** What was in it is a matter of that sync now. */
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
   * A job's directory may be renamed on between being noted here and being synced: whoever renames
   * syncs the contents first, so there is nothing left to do under the old name.
   */
  private static void unlessMoved(Call sync) throws IOException {
    try {
      sync.run();
    } catch (NoSuchFileException e) {
      // see above; a job deleted by hand is not there to be synced either
    }
  }
}
