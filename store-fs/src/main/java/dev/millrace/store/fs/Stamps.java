package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** Short texts that change whenever a job does, without reading it. Thread-safe. */
final class Stamps {
  private final Disk disk;
  private final Places places;

  Stamps(Disk disk, Places places) {
    this.disk = disk;
    this.places = places;
  }

  /** Changes whenever the job moves, its log grows, or it is another one with its id. */
  String of(JobId id) throws IOException {
    Optional<JobState> place = places.look(disk, id);
    if (place.isEmpty()) {
      return "";
    }
    Path dir = places.of(place.get(), id);
    return place.get() + size(dir.resolve(EventLog.FILE)) + modified(dir);
  }

  private String modified(Path dir) throws IOException {
    try {
      return " " + disk.modified(dir);
    } catch (NoSuchFileException e) {
      return " -";
    }
  }

  /** Changes also whenever the output of a plain prompt grows. */
  String withOutput(JobId id) throws IOException {
    return of(id) + size(places.of(JobState.IN_PROGRESS, id).resolve(Journal.FILE));
  }

  private String size(Path file) throws IOException {
    try {
      return " " + disk.size(file);
    } catch (NoSuchFileException e) {
      return " -";
    }
  }
}
