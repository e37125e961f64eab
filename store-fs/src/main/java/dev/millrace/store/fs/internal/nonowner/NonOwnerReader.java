package dev.millrace.store.fs.internal.nonowner;

import dev.millrace.core.internal.store.ForwardingReader;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.stats.QueueStats;
import dev.millrace.store.fs.internal.disk.DirectoryDeleter;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.OwnerLock;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.StrictUtf8;
import dev.millrace.store.fs.internal.inbox.InboxReply;
import dev.millrace.store.fs.internal.inbox.InboxRequest;
import dev.millrace.store.fs.internal.read.FsReader;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Reads a workspace that another process may own. It asks the owner what only the owner knows; if
 * there is no quick answer, it uses the files.
 */
public final class NonOwnerReader implements ForwardingReader {
  private final FsReader files;
  private final FsSettings settings;
  private final Duration patience;
  private final Disk disk;
  private final WorkspaceLayout layout;

  /**
   * @param patience how long to wait for the owner
   */
  public NonOwnerReader(FsSettings settings, Duration patience) {
    this.files = new FsReader(settings.disk(), settings.layout(), settings.threading());
    this.settings = settings;
    this.patience = patience;
    this.disk = settings.disk();
    this.layout = settings.layout();
  }

  @Override
  public Optional<QueuePosition> queuePosition(JobId id) {
    try {
      if (layout.lookUp(disk, id).orElse(null) != JobState.PENDING) {
        return Optional.empty();
      }
      Object answer = OwnerLock.isHeld(layout.root()) ? ask(InboxRequest.queuePosition(id)) : null;
      if (answer instanceof Optional<?> position) {
        return position.map(QueuePosition.class::cast);
      }
    } catch (IOException | StoreException e) {
      // then from the files
    }
    return files.queuePosition(id);
  }

  @Override
  public QueueStats queueStats() {
    try {
      Object answer = OwnerLock.isHeld(layout.root()) ? ask(InboxRequest.queueStats()) : null;
      if (answer instanceof QueueStats census) {
        return census;
      }
    } catch (IOException | StoreException e) {
      // then from the files
    }
    return files.queueStats();
  }

  @Override
  public JobReader reader() {
    return files;
  }

  /** The owner's answer; throws if it takes too long. */
  private Object ask(InboxRequest request) throws IOException {
    String op = settings.ids().get().value();
    Path file = layout.internalPath("inbox").resolve(op + ".json");
    Path answer = layout.internalPath("answers").resolve(op + ".json");
    Path temporary = layout.internalPath("inbox").resolve(op + ".tmp");
    disk.write(temporary, StrictUtf8.bytes(request.write(op, settings.clock().instant())));
    disk.rename(temporary, file);
    try {
      long end = settings.threading().nanoTime() + patience.toNanos();
      while (settings.threading().nanoTime() < end) {
        try {
          return InboxReply.read(StrictUtf8.of(answer, disk.read(answer, 1_000_000)));
        } catch (NoSuchFileException e) {
          NonOwnerControls.pause(settings);
        }
      }
      throw new StoreException("the owner of " + layout.root() + " did not answer in time");
    } finally {
      DirectoryDeleter.delete(disk, file);
      DirectoryDeleter.delete(disk, answer);
    }
  }
}
