package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Census;
import dev.millrace.core.store.Reading;
import dev.millrace.core.store.StoreException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Reads a workspace that another process may own: what only an owner knows, it is asked, and where
 * it does not answer soon the files must do.
 */
final class OutsideReader extends ReadThrough {
  private final FsReader files;
  private final FsSettings settings;
  private final Duration patience;
  private final Disk disk;
  private final Places places;

  /**
   * @param patience how long the owner is waited for
   */
  OutsideReader(FsSettings settings, Duration patience) {
    this.files = new FsReader(settings.disk(), settings.places());
    this.settings = settings;
    this.patience = patience;
    this.disk = settings.disk();
    this.places = settings.places();
  }

  @Override
  public Optional<QueuePlace> queuePlace(JobId id) {
    try {
      if (places.look(disk, id).orElse(null) != JobState.PENDING) {
        return Optional.empty();
      }
      Object answer = OwnerLock.isHeld(places.root()) ? ask(Request.place(id)) : null;
      if (answer instanceof Optional<?> place) {
        return place.map(QueuePlace.class::cast);
      }
    } catch (IOException | StoreException e) {
      // then by what can be seen from here
    }
    return super.queuePlace(id);
  }

  @Override
  public Census census() {
    try {
      Object answer = OwnerLock.isHeld(places.root()) ? ask(Request.census()) : null;
      if (answer instanceof Census census) {
        return census;
      }
    } catch (IOException | StoreException e) {
      // then by what can be seen from here
    }
    return super.census();
  }

  @Override
  Reading reading() {
    return files;
  }

  /** The owner's answer; an exception if it takes too long. */
  private Object ask(Request request) throws IOException {
    String op = settings.ids().get().value();
    Path file = places.own("inbox").resolve(op + ".json");
    Path answer = places.own("answers").resolve(op + ".json");
    Path temporary = places.own("inbox").resolve(op + ".tmp");
    disk.write(temporary, Text.bytes(request.write(op)));
    disk.rename(temporary, file);
    try {
      for (long end = System.nanoTime() + patience.toNanos(); System.nanoTime() < end; ) {
        try {
          return Reply.read(Text.of(answer, disk.read(answer, 1_000_000)));
        } catch (NoSuchFileException e) {
          RemoteControls.pause();
        }
      }
      throw new StoreException("the owner of " + places.root() + " did not answer in time");
    } finally {
      Trees.delete(disk, file);
      Trees.delete(disk, answer);
    }
  }
}
