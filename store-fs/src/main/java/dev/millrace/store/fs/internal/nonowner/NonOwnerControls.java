package dev.millrace.store.fs.internal.nonowner;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobControls;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.fs.internal.disk.DirectoryDeleter;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.FullDisk;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.files.StrictUtf8;
import dev.millrace.store.fs.internal.inbox.InboxReply;
import dev.millrace.store.fs.internal.inbox.InboxRequest;
import dev.millrace.store.fs.internal.owner.FsStore;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * Carries out a user's levers in a process that does not own the workspace. It asks the owner;
 * without an owner it takes the lock and carries them out itself. If the owner dies meanwhile, it
 * takes over: a request that was already carried out is recognized by its id.
 */
public final class NonOwnerControls implements JobControls {
  private static final Duration PAUSE = Duration.ofMillis(5);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
  private static final long TIMEOUT_NANOS = InboxRequest.LIFETIME.toNanos();

  /** A larger one adds to a job: the reserve of a full disk is not for that. */
  private static final int MAX_SMALL_REQUEST = 16_000;

  private final FsSettings settings;
  private final Disk disk;
  private final WorkspaceLayout layout;

  public NonOwnerControls(FsSettings settings) {
    this.settings = settings;
    this.disk = settings.disk();
    this.layout = settings.layout();
  }

  @Override
  public Outcome apply(JobId id, Lever lever, Cause cause) {
    return (Outcome) run(InboxRequest.of(id, lever, cause));
  }

  @Override
  public int prune(Instant before, Set<JobState> states) {
    return (Integer) run(InboxRequest.prune(before, states));
  }

  private Object run(InboxRequest request) {
    String op = settings.ids().get().value();
    Path file = layout.internalPath("inbox").resolve(op + ".json");
    try {
      Optional<Object> done = alone(request, op);
      if (done.isPresent()) {
        return done.get();
      }
      send(request, op, file);
      return await(request, op, file);
    } catch (IOException e) {
      throw StoreErrors.of("cannot reach the owner of " + layout.root(), e);
    }
  }

  private void send(InboxRequest request, String op, Path file) throws IOException {
    Path temporary = layout.internalPath("inbox").resolve(op + ".tmp");
    byte[] content = StrictUtf8.bytes(request.write(op, settings.clock().instant()));
    if (content.length > MAX_SMALL_REQUEST) {
      FullDisk.requireSpace(disk, layout.root());
    }
    FullDisk.withReserve(
        disk,
        () -> {
          disk.write(temporary, content);
          disk.rename(temporary, file);
          return file;
        });
  }

  /** Runs under the lock, if no process holds it. */
  private Optional<Object> alone(InboxRequest request, String op) {
    try (FsStore store = FsStore.tryOpenBriefly(settings).orElse(null)) {
      return store == null
          ? Optional.empty()
          : Optional.of(
              InboxRequest.read(request.write(op, settings.clock().instant())).run(store));
    }
  }

  private Object await(InboxRequest request, String op, Path file) throws IOException {
    Path answer = layout.internalPath("answers").resolve(op + ".json");
    long end = settings.threading().nanoTime() + TIMEOUT_NANOS;
    int expired = 0; // answers in a row
    for (int round = 1; settings.threading().nanoTime() < end; round++) {
      try {
        String text = StrictUtf8.of(answer, disk.read(answer, 1_000_000));
        disk.delete(answer);
        Object reply = InboxReply.read(text);
        if (reply != InboxReply.EXPIRED) {
          return reply;
        }
        sleep(settings, pauseAfter(++expired));
        send(request, op, file); // with the present time: a clock was set meanwhile, or is wrong
      } catch (NoSuchFileException e) {
        pause(settings);
      }
      if (round % 100 == 0) {
        Optional<Object> done = alone(request, op);
        if (done.isPresent()) {
          DirectoryDeleter.delete(disk, file);
          DirectoryDeleter.delete(disk, answer);
          // A deleted job cannot tell which request deleted it.
          boolean gone = request.lever().equals("delete") && done.get() instanceof Outcome.Missing;
          return gone ? Outcome.DONE : done.get();
        }
      }
    }
    DirectoryDeleter.delete(disk, file);
    throw new StoreException(
        "the owner of "
            + layout.root()
            + (expired > 0
                ? " takes the request for an old one; do the clocks of the two machines differ?"
                : " did not answer within 30 s; is it stopped or overloaded?"));
  }

  /** The next pause is twice as long, as a clock that is wrong may stay so. */
  private static Duration pauseAfter(int expired) {
    Duration pause = PAUSE.multipliedBy(1L << Math.min(expired - 1, 20));
    return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
  }

  static void pause(FsSettings settings) {
    sleep(settings, PAUSE);
  }

  private static void sleep(FsSettings settings, Duration time) {
    try {
      settings.threading().sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted while waiting for the owner's answer", e);
    }
  }
}
