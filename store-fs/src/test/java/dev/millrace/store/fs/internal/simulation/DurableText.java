package dev.millrace.store.fs.internal.simulation;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.disk.SimFiles.Loss;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** Looks at the disk as it would be if the power failed now: a crash at each acknowledgement. */
final class DurableText {
  private final SimDisk disk;

  DurableText(SimDisk disk) {
    this.disk = disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(0));
  }

  /** Whether there is such a job. */
  boolean has(JobId id) {
    return directory(id).isPresent();
  }

  /** Whether a file of the job has that text. */
  boolean has(JobId id, String text) {
    try {
      Optional<Path> dir = directory(id);
      return dir.isPresent() && hasBelow(dir.get(), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Optional<Path> directory(JobId id) {
    try {
      for (JobState state : WorkspaceLayout.ORDER) {
        Path dir = SimulatedStore.PLACES.of(state, id);
        if (disk.kind(dir) == Disk.Kind.DIRECTORY) {
          return Optional.of(dir);
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The text of a note. */
  Optional<String> note(String collection, String name) {
    Path file = SimulatedStore.PLACES.internalPath("notes").resolve(collection).resolve(name);
    try {
      return Optional.of(new String(disk.read(file, Integer.MAX_VALUE), StandardCharsets.UTF_8));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean hasBelow(Path dir, String text) throws IOException {
    List<String> names = new ArrayList<>();
    disk.list(dir, names::add);
    for (String name : names) {
      Path path = dir.resolve(name);
      boolean found =
          disk.kind(path) == Disk.Kind.DIRECTORY
              ? hasBelow(path, text)
              : new String(disk.read(path, Integer.MAX_VALUE), StandardCharsets.UTF_8)
                      .contains('"' + text + '"')
                  || name.startsWith("result.")
                      && new String(disk.read(path, Integer.MAX_VALUE), StandardCharsets.UTF_8)
                          .equals(text);
      if (found) {
        return true;
      }
    }
    return false;
  }
}
