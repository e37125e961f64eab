package dev.millrace.store.fs.internal.read;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.files.TokenJournal;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Makes short texts that change whenever a job does, without reading it. Thread-safe. */
final class JobVersionStamps {
  private static final int MOST_FILES = 100;

  private final Disk disk;
  private final WorkspaceLayout layout;

  JobVersionStamps(Disk disk, WorkspaceLayout layout) {
    this.disk = disk;
    this.layout = layout;
  }

  /** Changes when the job moves, its log grows, or another job has its id. */
  String of(JobId id) throws IOException {
    Optional<JobState> directoryState = layout.lookUp(disk, id);
    if (directoryState.isEmpty()) {
      return "";
    }
    Path dir = layout.of(directoryState.get(), id);
    return directoryState.get() + size(dir.resolve(EventLog.FILE)) + modified(dir);
  }

  /** Changes when a file of the job is added, replaced or edited, or the job moves. */
  String ofFiles(JobId id) throws IOException {
    StringBuilder stamp = new StringBuilder();
    for (JobState state : WorkspaceLayout.ORDER) {
      Path dir = layout.of(state, id);
      if (disk.kind(dir) == Disk.Kind.DIRECTORY) {
        stamp.append(state).append(modified(dir));
        int[] seen = {0};
        List<String> names = new ArrayList<>();
        disk.list(dir, name -> names.add(name) && ++seen[0] < MOST_FILES);
        Collections.sort(names);
        for (String name : names) {
          Path file = dir.resolve(name);
          stamp.append(' ').append(name).append(size(file)).append(modified(file));
        }
      }
    }
    return stamp.toString();
  }

  private String modified(Path dir) throws IOException {
    try {
      return " " + disk.modified(dir);
    } catch (NoSuchFileException e) {
      return " -";
    }
  }

  /** Also changes when the output of a plain prompt grows. */
  String withOutput(JobId id) throws IOException {
    return of(id) + size(layout.of(JobState.IN_PROGRESS, id).resolve(TokenJournal.FILE));
  }

  private String size(Path file) throws IOException {
    try {
      return " " + disk.size(file);
    } catch (NoSuchFileException e) {
      return " -";
    }
  }
}
