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
import java.util.List;

/**
 * Marks a job with a large file while its owner reads it. A mark that stays says that the process
 * ended meanwhile, as it does when its heap is full. After two of them the job is left alone, so that
 * it cannot keep every later server from starting. A larger heap is worth another try.
 */
public final class ReadingMarks {
  /** A job with smaller files fits into any heap. */
  private static final long LARGE = 1 << 20;

  /** The files that a job's values in memory come from. */
  private static final List<String> READ_WHOLE = List.of("events.jsonl", "job.json", "meta.json");

  private static final int MOST_TRIES = 2;
  private static final String DIRECTORY = "reading";

  private final Disk disk;
  private final WorkspaceLayout layout;
  private final long heap;

  public ReadingMarks(Disk disk, WorkspaceLayout layout) {
    this(disk, layout, Runtime.getRuntime().maxMemory());
  }

  /**
   * @param heap the most bytes of heap that this process may use
   */
  ReadingMarks(Disk disk, WorkspaceLayout layout, long heap) {
    this.disk = disk;
    this.layout = layout;
    this.heap = heap;
  }

  /** A job that has ended the processes that read it. */
  public static final class UnfitJobException extends IOException {
    private static final long serialVersionUID = 1L;

    UnfitJobException(int processes, Path mark) {
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

  /** Reads a job with a mark, if one of its files is large. */
  public <T> T marked(JobId id, Path job, Reading<T> reading) throws IOException {
    if (!isLarge(job)) {
      return reading.run();
    }
    int tries = requireReadable(id);
    Path mark = mark(id);
    createDirectory();
    JsonObject content = JsonObject.create().put("tries", tries + 1).put("heap", heap);
    disk.write(mark, Json.write(content).getBytes(StandardCharsets.UTF_8));
    try {
      return reading.run();
    } finally {
      DirectoryDeleter.delete(disk, mark);
    }
  }

  /** Refuses to read a job that has ended others. */
  public void requireReadable(JobId id, Path job) throws IOException {
    if (isLarge(job)) {
      requireReadable(id);
    }
  }

  private boolean isLarge(Path job) throws IOException {
    for (String file : READ_WHOLE) {
      try {
        if (disk.size(job.resolve(file)) >= LARGE) {
          return true;
        }
      } catch (NoSuchFileException e) {
        // it has no such file
      }
    }
    return false;
  }

  /** How many processes have ended with this heap or a larger one while they read the job. */
  private int requireReadable(JobId id) throws IOException {
    int tries = 0;
    try {
      JsonObject mark = Json.object(new String(disk.read(mark(id), 1_000), StandardCharsets.UTF_8));
      tries = heap > mark.integer("heap") ? 0 : (int) mark.integer("tries");
    } catch (NoSuchFileException | JsonException e) {
      // no process has ended, or the machine has: then nothing is known
    }
    if (tries >= MOST_TRIES) {
      throw new UnfitJobException(tries, mark(id));
    }
    return tries;
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

  private Path mark(JobId id) {
    return layout.internalPath(DIRECTORY).resolve(id.value() + ".json");
  }
}
