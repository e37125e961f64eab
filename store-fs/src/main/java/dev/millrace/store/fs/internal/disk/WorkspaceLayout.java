package dev.millrace.store.fs.internal.disk;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The directories of a workspace: a job's place is its state. */
public final class WorkspaceLayout {

  /** In the direction in which jobs mostly move, so that a search overtakes few of them. */
  public static final List<JobState> ORDER =
      List.of(
          JobState.PENDING,
          JobState.IN_PROGRESS,
          JobState.PAUSED,
          JobState.COMPLETED,
          JobState.FAILED,
          JobState.ABORTED);

  private final Path root;
  private final Map<JobState, Path> byState = new EnumMap<>(JobState.class);

  public WorkspaceLayout(Path root) {
    this.root = root;
    byState.put(JobState.CREATED, root.resolve("input/writing"));
    byState.put(JobState.PENDING, root.resolve("input/ready"));
    byState.put(JobState.IN_PROGRESS, root.resolve("processing"));
    byState.put(JobState.PAUSED, root.resolve("paused"));
    byState.put(JobState.COMPLETED, root.resolve("output"));
    byState.put(JobState.FAILED, root.resolve("failed"));
    byState.put(JobState.ABORTED, root.resolve("cancelled"));
  }

  public Path root() {
    return root;
  }

  public Path of(JobState state) {
    return byState.get(state);
  }

  public Path of(JobState state, JobId id) {
    return of(state).resolve(id.value());
  }

  /** What is ours alone: epoch, inbox, answers, trash. */
  public Path internalPath(String name) {
    return root.resolve(".millrace").resolve(name);
  }

  /**
   * Creates what is missing. The parents' names are synced, for a job must not outlive its place;
   * one directory is made only after that, to prove it to whoever comes next.
   */
  public void create(Disk disk) throws IOException {
    if (complete(disk)) {
      return;
    }
    Set<Path> parents = new LinkedHashSet<>();
    for (Path place : byState.values()) {
      directory(disk, place, parents);
    }
    directory(disk, internalPath("inbox"), parents);
    directory(disk, internalPath("answers"), parents);
    for (Path parent : parents) {
      disk.syncDirectory(parent);
    }
    directory(disk, internalPath("trash"), new LinkedHashSet<>());
  }

  /** The last directory that {@link #create} makes is there only if all are, or one was removed. */
  private boolean complete(Disk disk) throws IOException {
    for (Path place : byState.values()) {
      if (disk.kind(place) != Disk.Kind.DIRECTORY) {
        return false;
      }
    }
    return disk.kind(internalPath("trash")) == Disk.Kind.DIRECTORY;
  }

  /** Makes sure of a directory, and notes whose names have to be synced for it to last. */
  private void directory(Disk disk, Path path, Set<Path> parents) throws IOException {
    Path parent = path.getParent();
    boolean missing = disk.kind(path) == Disk.Kind.NOTHING;
    if (parent != null && (missing || path.startsWith(root))) {
      directory(disk, parent, parents);
      parents.add(parent);
    }
    if (missing) {
      try {
        disk.createDirectory(path);
      } catch (FileAlreadyExistsException e) {
        // another process was quicker
      }
    }
    if (path.startsWith(root) && disk.kind(path) != Disk.Kind.DIRECTORY) {
      throw new IOException(path + " is not a directory");
    }
  }

  /** Where the job stands in one look at each place; a job that moves meanwhile can be missed. */
  public Optional<JobState> lookUp(Disk disk, JobId id) throws IOException {
    for (JobState state : ORDER) {
      if (disk.kind(of(state, id)) == Disk.Kind.DIRECTORY) {
        return Optional.of(state);
      }
    }
    return Optional.empty();
  }
}
