package dev.millrace.store.fs.internal.inbox;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.OVERFLOW;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.StoreErrors;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Watches the directories of a workspace on the thread {@code scanner}, and scans the workspace
 * when files arrive.
 */
final class DirectoryWatcher implements AutoCloseable {

  /** How often to check for missed events. */
  private static final Duration RESCAN = Duration.ofSeconds(5);

  /** Listings take at most one part in this many of the time. */
  private static final int SHARE = 50;

  private final WorkspaceScanner scanner;
  private final OwnerInbox inbox;
  private final BooleanSupplier troubled;
  private final WatchService service;
  private final WatchKey ready;
  private final WatchKey cancelled;
  private final Thread thread;
  private long nextScan = System.nanoTime() + RESCAN.toNanos();

  DirectoryWatcher(
      WorkspaceLayout layout, WorkspaceScanner scanner, OwnerInbox inbox, BooleanSupplier troubled)
      throws IOException {
    this.troubled = troubled;
    this.scanner = scanner;
    this.inbox = inbox;
    this.service = layout.root().getFileSystem().newWatchService();
    this.ready = layout.of(JobState.PENDING).register(service, ENTRY_CREATE);
    this.cancelled = layout.of(JobState.ABORTED).register(service, ENTRY_CREATE);
    layout.internalPath("inbox").register(service, ENTRY_CREATE);
    this.thread = MonitoredThreads.service("scanner").unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  private void run() {
    try {
      guarded(scanner::scan); // what arrived before the watch was set
      while (true) {
        handle(service.poll(1, TimeUnit.SECONDS));
        if (System.nanoTime() >= nextScan) {
          rescan();
        }
      }
    } catch (InterruptedException | ClosedWatchServiceException | StoreException.Closed e) {
      // closing
    } catch (StoreBrokenException e) {
      // every other part of the store reports this too
    }
  }

  private void handle(@Nullable WatchKey key) {
    if (key != null) {
      try {
        for (WatchEvent<?> event : key.pollEvents()) {
          guarded(() -> event(key, event));
        }
      } finally {
        key.reset(); // else nothing more is seen of that directory
      }
    }
  }

  private void event(WatchKey key, WatchEvent<?> event) {
    if (event.kind() == OVERFLOW) {
      nextScan = System.nanoTime();
    } else if (key == ready) {
      scanner.discover(((Path) event.context()).toString());
    } else if (key == cancelled) {
      scanner.cancelled(((Path) event.context()).toString());
    } else {
      inbox.processAll();
    }
  }

  /**
   * Lists the ready jobs. A slow listing runs less often, and handles events between its slices.
   */
  private void rescan() {
    long start = System.nanoTime();
    nextScan = Long.MAX_VALUE;
    if (troubled.getAsBoolean()) {
      scanner.forceRescan();
    }
    guarded(() -> scanner.scan(() -> handle(service.poll())));
    long end = System.nanoTime();
    nextScan = Math.min(nextScan, end + Math.max(RESCAN.toNanos(), SHARE * (end - start)));
  }

  /** Runs an action; an error in one does not stop the others. */
  private static void guarded(Runnable work) {
    try {
      work.run();
    } catch (StoreBrokenException | StoreException.Closed | ClosedWatchServiceException e) {
      throw e;
    } catch (RuntimeException e) {
      System.getLogger("dev.millrace.store").log(Level.ERROR, e.getMessage());
    } catch (Error e) { // the thread must live: nobody else would find what arrives
      System.getLogger("dev.millrace.store").log(Level.ERROR, "scanning failed, and goes on", e);
    }
  }

  @Override
  public void close() {
    try {
      service.close();
      thread.interrupt();
      joinUninterruptibly();
    } catch (IOException e) {
      throw StoreErrors.of("cannot stop watching", e);
    }
  }

  /**
   * The next owner of the workspace must not meet this thread. If a watcher closes the store on this
   * thread itself, it ends when the watcher returns.
   */
  private void joinUninterruptibly() {
    boolean interrupted = false;
    while (thread != Thread.currentThread() && thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
