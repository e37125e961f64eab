package dev.millrace.store.fs.internal.inbox;

import dev.millrace.core.json.JsonException;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.fs.internal.disk.DirectoryDeleter;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.FullDisk;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.files.StrictUtf8;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Carries out the requests of other processes. A request is a file in {@code inbox/}; the reply is
 * a file of the same name in {@code answers/}, which the requester deletes.
 */
public final class OwnerInbox {
  private static final Logger LOG = System.getLogger("dev.millrace.store");
  private static final int MAX_BYTES = 64_000_000;
  private static final int MOST_REPORTED = 1_000;

  private final Disk disk;
  private final WorkspaceLayout layout;
  private final JobStore store;
  private final InstantSource clock;
  private final ReentrantLock processing;
  private final List<StaleFiles> stale;
  private final LinkedHashSet<String> reported = new LinkedHashSet<>(); // guarded by processing

  public OwnerInbox(FsSettings settings, JobStore store) {
    this(settings, store, settings.threading()::nanoTime);
  }

  /**
   * @param nanoTime a time that no one sets
   */
  OwnerInbox(FsSettings settings, JobStore store, LongSupplier nanoTime) {
    this.disk = settings.disk();
    this.layout = settings.layout();
    this.store = store;
    this.clock = settings.clock();
    this.processing = settings.threading().newLock();
    this.stale =
        List.of(
            new StaleFiles(
                disk, layout.internalPath("inbox"), name -> !name.endsWith(".json"), nanoTime),
            new StaleFiles(disk, layout.internalPath("answers"), _ -> true, nanoTime));
  }

  void processAll() {
    processing.lock();
    try {
      List<String> names = new ArrayList<>();
      disk.list(layout.internalPath("inbox"), names::add);
      names.stream().sorted().filter(name -> name.endsWith(".json")).forEach(this::process);
    } catch (IOException e) {
      LOG.log(Level.ERROR, "cannot read the inbox: " + StoreErrors.explain(e));
    } finally {
      processing.unlock();
    }
  }

  /** Deletes half a request and answers that no one has fetched; call it now and then. */
  void deleteStale() {
    processing.lock();
    try {
      int deleted = 0;
      for (StaleFiles files : stale) {
        deleted += files.deleteOld();
      }
      if (deleted > 0) {
        LOG.log(
            Level.INFO,
            "deleted files of commands that ended without fetching their answer: " + deleted);
      }
    } catch (IOException e) {
      LOG.log(Level.WARNING, "cannot tidy the inbox: " + StoreErrors.explain(e));
    } finally {
      processing.unlock();
    }
  }

  private void process(String name) {
    Path file = layout.internalPath("inbox").resolve(name);
    try {
      Object answer;
      try {
        answer = answer(name, file);
      } catch (NoSuchFileException e) {
        return; // withdrawn
      } catch (StoreBrokenException | StoreException.Closed e) {
        throw e; // the request stays for the next owner
      } catch (RuntimeException
          | Disk.FileTooLargeException
          | Disk.NotRegularException
          | JobFiles.MalformedJobException e) {
        answer = e instanceof RuntimeException known ? known : new JsonException(e.getMessage());
      } catch (Error e) { // else it would be carried out again and again
        LOG.log(Level.ERROR, "request " + name + " failed", e);
        answer = new StoreException("the server could not carry it out (" + e + "): see its log");
      }
      if (disk.kind(file) == Disk.Kind.NOTHING) {
        return; // the requester has given up and would not delete the reply
      }
      if (answer == InboxReply.EXPIRED) {
        DirectoryDeleter.delete(disk, file); // first: once answered, it is sent again by that name
      }
      reply(name, StrictUtf8.bytes(InboxReply.write(answer)));
      if (answer != InboxReply.EXPIRED) {
        DirectoryDeleter.delete(disk, file);
      }
    } catch (Error e) { // the other requests do not wait for this one
      LOG.log(Level.ERROR, "cannot answer the request " + name, e);
    } catch (IOException e) {
      LOG.log(Level.ERROR, "cannot answer the request " + name + ": " + StoreErrors.explain(e));
    }
  }

  private void reply(String name, byte[] content) throws IOException {
    Path temporary = layout.internalPath("answers").resolve(name + ".tmp");
    FullDisk.withReserve(
        disk,
        () -> {
          disk.write(temporary, content);
          disk.rename(temporary, layout.internalPath("answers").resolve(name));
          return name;
        });
  }

  private Object answer(String name, Path file) throws IOException {
    InboxRequest request = InboxRequest.read(StrictUtf8.of(file, disk.read(file, MAX_BYTES)));
    if (request.isExpired(clock.instant(), disk.modified(file))) {
      logExpired(name, request);
      return InboxReply.EXPIRED;
    }
    return request.run(store);
  }

  /** Once: a command that still waits sends it again and again. */
  private void logExpired(String name, InboxRequest request) {
    if (!reported.add(name)) {
      return;
    }
    if (reported.size() > MOST_REPORTED) {
      reported.removeFirst();
    }
    LOG.log(
        Level.INFO,
        "the request "
            + name
            + " ("
            + request.lever()
            + (request.job() == null ? "" : " " + request.job())
            + ") is too old by this machine's clock, or of the future, and is not carried out");
  }
}
