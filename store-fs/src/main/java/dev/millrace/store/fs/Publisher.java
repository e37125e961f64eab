package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.StoreBroken;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.Submitting;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Puts jobs into a workspace. Any process may, whoever owns it: a rename publishes. Thread-safe.
 */
final class Publisher implements Submitting {

  /** Most bytes in all inputs of one job together. */
  static final long MAX_JOB_BYTES = 1_000_000_000;

  private final Disk disk;
  private final Places places;
  private final GroupCommit commits;
  private final Clock clock;
  private final Supplier<JobId> ids;

  Publisher(Disk disk, Places places, GroupCommit commits, Clock clock, Supplier<JobId> ids) {
    this.disk = disk;
    this.places = places;
    this.commits = commits;
    this.clock = clock;
    this.ids = ids;
  }

  @Override
  public JobId submit(JobSpec spec) {
    requireSizes(spec);
    Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
    Map<String, byte[]> files =
        PlainFiles.fits(spec) ? PlainFiles.files(spec, now) : StagedDocument.files(spec, now);
    JobId id = reserve();
    try {
      Path dir = stage(id, files);
      JobState place = spec.held() ? JobState.PAUSED : JobState.PENDING;
      disk.rename(dir, places.of(place, id));
      commits.commit(new Dirty().directory(places.of(place)));
      return id;
    } catch (IOException e) {
      discard(places.of(JobState.CREATED, id));
      throw Failures.of("cannot submit into " + places.root(), e);
    } catch (StoreBroken e) {
      discard(places.of(JobState.CREATED, id));
      throw e;
    }
  }

  /** From here on the id's directory is ours to fill, and to discard. */
  private JobId reserve() {
    JobId id = ids.get();
    try {
      disk.createDirectory(places.of(JobState.CREATED, id));
      return id;
    } catch (FileAlreadyExistsException e) {
      throw new StoreException("another process made the same id " + id + "; submit again", e);
    } catch (IOException e) {
      throw Failures.of("cannot submit into " + places.root(), e);
    }
  }

  private Path stage(JobId id, Map<String, byte[]> files) throws IOException {
    Path dir = places.of(JobState.CREATED, id);
    Dirty dirty = new Dirty();
    TreeSet<Path> directories = new TreeSet<>();
    for (String name : files.keySet()) {
      for (Path up = dir.resolve(name).getParent(); !up.equals(dir); up = up.getParent()) {
        directories.add(up);
      }
    }
    for (Path directory : directories) {
      disk.createDirectory(directory);
      dirty.directory(directory);
    }
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      disk.write(dir.resolve(file.getKey()), file.getValue());
      dirty.file(dir.resolve(file.getKey()));
    }
    commits.commit(dirty.directory(dir));
    return dir;
  }

  /** What was never acknowledged goes, as far as the disk lets it; nobody sees it anyway. */
  private void discard(Path dir) {
    try {
      Trees.delete(disk, dir);
    } catch (IOException e) {
      System.getLogger("dev.millrace.store")
          .log(
              System.Logger.Level.WARNING,
              "could not remove the unfinished " + dir + ": " + e.getMessage());
    }
  }

  private static void requireSizes(JobSpec spec) {
    long total = 0;
    for (StageSpec stage : spec.stages()) {
      for (TaskSpec task : stage.tasks()) {
        if (task.input() instanceof String text) {
          int bytes = utf8Length(text);
          if (bytes > JobSpec.MAX_PROMPT_BYTES) {
            throw new IllegalArgumentException(
                "Prompt too large: " + bytes + " bytes, at most " + JobSpec.MAX_PROMPT_BYTES);
          }
          total += bytes;
        }
      }
    }
    if (total > MAX_JOB_BYTES) {
      throw new IllegalArgumentException(
          "job too large: " + total + " bytes of input, at most " + MAX_JOB_BYTES);
    }
  }

  private static int utf8Length(String text) {
    int bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        bytes++;
      } else if (c < 0x800) {
        bytes += 2;
      } else if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        bytes += 4;
        i++;
      } else if (Character.isSurrogate(c)) {
        throw new IllegalArgumentException(
            "the prompt is not valid Unicode: a lone surrogate at character " + i);
      } else {
        bytes += 3;
      }
    }
    return bytes;
  }
}
