package dev.millrace.store.fs.internal.owner;

import dev.millrace.store.fs.internal.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Finds out that a disk takes no more writes, also if nobody writes: a kernel makes a file system
 * read-only after errors, and some still call it writable then. Thread-safe.
 */
final class WriteCheck {
  static final Duration INTERVAL = Duration.ofSeconds(30);

  private final Disk disk;
  private final Path trial;
  private final LongSupplier nanoTime;
  private final AtomicLong due;

  WriteCheck(Disk disk, Path trial, LongSupplier nanoTime) {
    this.disk = disk;
    this.trial = trial;
    this.nanoTime = nanoTime;
    this.due = new AtomicLong(nanoTime.getAsLong() + INTERVAL.toNanos());
  }

  /** Writes a small file and deletes it, unless it did so lately. */
  void run() throws IOException {
    long now = nanoTime.getAsLong();
    long expected = due.get();
    if (now - expected >= 0 && due.compareAndSet(expected, now + INTERVAL.toNanos())) {
      disk.writeSynced(trial, new byte[] {1});
      disk.delete(trial);
    }
  }
}
