package dev.millrace.store.fs.internal.disk;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Marks a large job, or a large task, while its owner reads it. A mark that another owner has left
 * says that its process ended meanwhile, as it does when its heap is full. After two of them what is
 * marked is left alone, so that it cannot keep every later server from starting. A larger heap is
 * worth another try. Processes that do not own the workspace only look at the marks. Thread-safe.
 */
public final class ReadingMarks {
  /** What is read whole has this size at least: its values may take thirty times as much. */
  private static final long LARGE = 1 << 16;

  /** A line of a task with fewer bytes fits into any heap, and so do fewer bytes of tasks. */
  private static final long LARGE_TASKS = 1 << 20;

  /** The files that a job's values in memory come from. */
  private static final List<String> READ_WHOLE = List.of("events.jsonl", "job.json", "meta.json");

  private static final int MOST_ENDED = 2;
  private static final String DIRECTORY = "reading";

  private final Disk disk;
  private final WorkspaceLayout layout;
  private final @Nullable Long epoch;
  private final long heap;

  /** How many threads of this process read it now. */
  private final Map<String, Integer> reading = new HashMap<>(); // guarded by itself

  private ReadingMarks(Disk disk, WorkspaceLayout layout, @Nullable Long epoch, long heap) {
    this.disk = disk;
    this.layout = layout;
    this.epoch = epoch;
    this.heap = heap;
  }

  /** The marks of the owner with that epoch. */
  public static ReadingMarks ofOwner(Disk disk, WorkspaceLayout layout, long epoch) {
    return new ReadingMarks(disk, layout, epoch, Runtime.getRuntime().maxMemory());
  }

  /**
   * As {@link #ofOwner(Disk, WorkspaceLayout, long)}.
   *
   * @param heap the most bytes of heap that this process may use
   */
  static ReadingMarks ofOwner(Disk disk, WorkspaceLayout layout, long epoch, long heap) {
    return new ReadingMarks(disk, layout, epoch, heap);
  }

  /** For a process that does not own the workspace: it makes no marks. */
  public static ReadingMarks ofOthers(Disk disk, WorkspaceLayout layout) {
    return new ReadingMarks(disk, layout, null, Runtime.getRuntime().maxMemory());
  }

  /** A job or task that has ended the processes that read it. */
  public static final class UnfitJobException extends IOException {
    private static final long serialVersionUID = 1L;

    UnfitJobException(long processes, Path mark) {
      super(
          processes
              + " processes in a row ended while they read it; give the server a larger heap, or"
              + " delete "
              + mark
              + " to try again");
    }
  }

  /** Something that reads a job. */
  @FunctionalInterface
  public interface Reading<T> {
    T run() throws IOException;
  }

  /** Reads a job, with a mark if it is large. */
  public <T> T ofJob(JobId id, Path job, Reading<T> reading) throws IOException {
    return isLarge(job) ? marked(id.value(), reading) : reading.run();
  }

  /**
   * Reads a task, with a mark if it is large.
   *
   * @param bytes of its line
   */
  public <T> T ofTask(JobId id, int stage, int task, long bytes, Reading<T> reading)
      throws IOException {
    return bytes >= LARGE_TASKS
        ? marked(id.value() + "-" + stage + "-" + task, reading)
        : reading.run();
  }

  private <T> T marked(String name, Reading<T> reading) throws IOException {
    Path mark = mark(name);
    long ended = ended(mark);
    if (ended >= MOST_ENDED) {
      write(mark, ended, null); // so that other processes know it, too
      throw new UnfitJobException(ended, mark);
    }
    if (epoch == null) {
      return reading.run();
    }
    begin(name);
    try {
      write(mark, ended, epoch);
      return reading.run();
    } finally {
      end(name, mark);
    }
  }

  private void begin(String name) {
    synchronized (reading) {
      reading.merge(name, 1, Integer::sum);
    }
  }

  /** The last thread that reads it deletes its mark. */
  private void end(String name, Path mark) {
    boolean last;
    synchronized (reading) {
      last = reading.merge(name, -1, (now, less) -> now + less == 0 ? null : now + less) == null;
    }
    if (last) {
      delete(mark);
    }
  }

  private boolean isLarge(Path job) throws IOException {
    for (String file : READ_WHOLE) {
      if (size(job.resolve(file)) >= LARGE) {
        return true;
      }
    }
    return hasManyTasks(job.resolve("stages"));
  }

  /** A waiting task takes a few bytes of memory, and more of a file. */
  private boolean hasManyTasks(Path stages) {
    long bytes = 0;
    List<String> names = new ArrayList<>();
    try {
      disk.list(stages, names::add);
      for (String name : names) {
        bytes += bytes < LARGE_TASKS ? size(stages.resolve(name).resolve("tasks.jsonl")) : 0;
      }
    } catch (IOException e) {
      // a plain job has none; others say so when a task is read
    }
    return bytes >= LARGE_TASKS;
  }

  private long size(Path file) throws IOException {
    try {
      return disk.size(file);
    } catch (NoSuchFileException e) {
      return 0;
    }
  }

  /** How many processes with this heap or a larger one have ended while they read it. */
  private long ended(Path mark) {
    try {
      JsonObject left = Json.object(new String(disk.read(mark, 1_000), StandardCharsets.UTF_8));
      if (heap > left.integer("heap")) {
        return 0;
      }
      boolean another = epoch != null && left.has("epoch") && left.integer("epoch") != epoch;
      return left.integer("ended") + (another ? 1 : 0); // one that only looks may see a live one
    } catch (IOException | JsonException e) {
      return 0; // no process has ended, or nothing is known of it
    }
  }

  /** A job is read without a mark if none can be written, as on a full disk. */
  private void write(Path mark, long ended, @Nullable Long by) {
    if (epoch == null) {
      return;
    }
    JsonObject content =
        JsonObject.create().put("ended", ended).put("heap", heap).putIfPresent("epoch", by);
    try {
      createDirectory();
      disk.write(mark, Json.write(content).getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // then a process that ends does not count
    }
  }

  private void createDirectory() throws IOException {
    Path directory = layout.internalPath(DIRECTORY);
    if (disk.kind(directory) == Disk.Kind.NOTHING) {
      try {
        disk.createDirectory(directory);
      } catch (FileAlreadyExistsException e) {
        // another thread created it
      }
    }
  }

  private void delete(Path mark) {
    try {
      DirectoryDeleter.delete(disk, mark);
    } catch (IOException e) {
      // it counts as one ended process; another reading deletes it
    }
  }

  /** Deletes what is left of the marks of jobs that were deleted. */
  public void forget(Collection<JobId> jobs) {
    if (jobs.isEmpty()) {
      return;
    }
    Set<String> ids = jobs.stream().map(JobId::value).collect(Collectors.toSet());
    List<String> names = new ArrayList<>();
    try {
      disk.list(layout.internalPath(DIRECTORY), names::add);
    } catch (IOException e) {
      return; // there are none, or they stay
    }
    for (String name : names) {
      if (ids.contains(name.split("[-.]", 2)[0])) {
        delete(layout.internalPath(DIRECTORY).resolve(name));
      }
    }
  }

  private Path mark(String name) {
    return layout.internalPath(DIRECTORY).resolve(name + ".json");
  }
}
