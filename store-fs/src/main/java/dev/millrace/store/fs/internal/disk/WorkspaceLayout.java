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

/** The directories of a workspace: a job is in the directory of its state. */
public final class WorkspaceLayout {

  /** In the direction in which jobs mostly move, so that a search misses few of them. */
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

  /** The store's own directory: epoch, inbox, answers, trash. */
  public Path internalPath(String name) {
    return root.resolve(".millrace").resolve(name);
  }

  /** Where jobs are that were taken out, to move them to another store. */
  public Path moved() {
    return root.resolve("moved");
  }

  public Path moved(JobId id) {
    return moved().resolve(id.value());
  }

  /** Where the owner records the programs that it runs. */
  public Path programs() {
    return internalPath("programs");
  }

  /**
   * Creates missing directories. Their names are synced, because a job must not outlive its
   * directory; one directory is created only after that, as a proof for later processes.
   */
  public void create(Disk disk) throws IOException {
    if (complete(disk)) {
      return;
    }
    Set<Path> parents = new LinkedHashSet<>();
    for (Path stateDirectory : byState.values()) {
      directory(disk, stateDirectory, parents);
    }
    directory(disk, internalPath("inbox"), parents);
    directory(disk, internalPath("answers"), parents);
    directory(disk, programs(), parents);
    for (Path parent : parents) {
      disk.syncDirectory(parent);
    }
    directory(disk, internalPath("trash"), new LinkedHashSet<>());
  }

  /**
   * Whether the last directory that {@link #create} makes exists; then all do, unless one was
   * deleted.
   */
  private boolean complete(Disk disk) throws IOException {
    for (Path stateDirectory : byState.values()) {
      if (disk.kind(stateDirectory) != Disk.Kind.DIRECTORY) {
        return false;
      }
    }
    return disk.kind(internalPath("trash")) == Disk.Kind.DIRECTORY;
  }

  /** Creates a directory if it is missing, and notes which names must be synced. */
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
        // another process created it
      }
    }
    if (path.startsWith(root) && disk.kind(path) != Disk.Kind.DIRECTORY) {
      throw new IOException(path + " is not a directory");
    }
  }

  /**
   * Another directory with the id of a job that was found in the directory of {@code state}; empty
   * if there is none, or if the job has just moved.
   */
  public Optional<JobState> lookUpCopy(Disk disk, JobId id, JobState state) throws IOException {
    for (JobState other : ORDER) {
      if (other != state
          && disk.kind(of(other, id)) == Disk.Kind.DIRECTORY
          && disk.kind(of(state, id)) == Disk.Kind.DIRECTORY
          && disk.kind(of(other, id)) == Disk.Kind.DIRECTORY) {
        return Optional.of(other);
      }
    }
    return Optional.empty();
  }

  /** Whether {@link #lookUp} looks into the directory of {@code to} before that of {@code from}. */
  public static boolean isBackward(JobState from, JobState to) {
    return ORDER.indexOf(to) < ORDER.indexOf(from);
  }

  /**
   * The job's state, with one look at each directory; a job that moves backward meanwhile can be
   * missed.
   */
  public Optional<JobState> lookUp(Disk disk, JobId id) throws IOException {
    for (JobState state : ORDER) {
      if (disk.kind(of(state, id)) == Disk.Kind.DIRECTORY) {
        return Optional.of(state);
      }
    }
    return Optional.empty();
  }
}
