package dev.millrace.store.fs.internal.disk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.BitSet;
import java.util.function.Predicate;

/**
 * A disk with any number of waiting prompts that take no memory: each is made up when it is looked
 * at, and put on a simulated disk when it is changed. Thread-safe.
 */
public final class ManyJobsDisk implements Disk {
  private static final byte[] META =
      "{\"mode\":\"text\",\"submitted_at\":\"2026-03-01T08:00:00Z\"}"
          .getBytes(StandardCharsets.UTF_8);
  private static final byte[] PROMPT = "hello".getBytes(StandardCharsets.UTF_8);
  private static final long FIRST = 1_772_352_000_000_000L;

  private final SimDisk disk = new SimDisk();
  private final Path ready;
  private final int jobs;
  private final BitSet real = new BitSet();

  public ManyJobsDisk(Path root, int jobs) throws IOException {
    this.ready = new WorkspaceLayout(root).of(dev.millrace.core.job.JobState.PENDING);
    this.jobs = jobs;
    new WorkspaceLayout(root).create(disk);
  }

  private static String name(int job) {
    return String.format("%020d_7_%06d", FIRST + job, 0);
  }

  /** The number of the made-up job that the path is of; -1 if it is of none. */
  private synchronized int number(Path path) {
    if (!path.startsWith(ready) || path.equals(ready)) {
      return -1;
    }
    String name = ready.relativize(path).getName(0).toString();
    if (name.length() < 20) {
      return -1;
    }
    long job = Long.parseLong(name.substring(0, 20)) - FIRST;
    return job >= 0 && job < jobs && !real.get((int) job) ? (int) job : -1;
  }

  private byte[] content(Path file) {
    return switch (file.getFileName().toString()) {
      case "meta.json" -> META;
      case "prompt.txt" -> PROMPT;
      default -> null;
    };
  }

  private synchronized void materialize(Path path) throws IOException {
    int job = number(path);
    if (job >= 0) {
      real.set(job);
      Path dir = ready.resolve(name(job));
      disk.createDirectory(dir);
      disk.write(dir.resolve("meta.json"), META);
      disk.write(dir.resolve("prompt.txt"), PROMPT);
    }
  }

  @Override
  public Kind kind(Path path) throws IOException {
    if (number(path) < 0) {
      return disk.kind(path);
    }
    return path.getParent().equals(ready)
        ? Kind.DIRECTORY
        : content(path) == null ? Kind.NOTHING : Kind.FILE;
  }

  @Override
  public long size(Path file) throws IOException {
    byte[] found = number(file) < 0 ? null : content(file);
    return found == null ? disk.size(file) : found.length;
  }

  @Override
  public Instant modified(Path directory) throws IOException {
    return number(directory) < 0 ? disk.modified(directory) : Instant.EPOCH;
  }

  @Override
  public void createDirectory(Path directory) throws IOException {
    materialize(directory);
    disk.createDirectory(directory);
  }

  @Override
  public void write(Path file, byte[] content) throws IOException {
    materialize(file);
    disk.write(file, content);
  }

  @Override
  public void writeSynced(Path file, byte[] content) throws IOException {
    materialize(file);
    disk.writeSynced(file, content);
  }

  @Override
  public void append(Path file, byte[] content) throws IOException {
    materialize(file);
    disk.append(file, content);
  }

  @Override
  public byte[] read(Path file, int most) throws IOException {
    byte[] found = number(file) < 0 ? null : content(file);
    return found == null ? disk.read(file, most) : found.clone();
  }

  @Override
  public byte[] read(Path file, long offset, int length) throws IOException {
    materialize(file);
    return disk.read(file, offset, length);
  }

  @Override
  public void truncate(Path file, long length) throws IOException {
    materialize(file);
    disk.truncate(file, length);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    materialize(from);
    disk.rename(from, to);
  }

  @Override
  public void delete(Path path) throws IOException {
    materialize(path);
    disk.delete(path);
  }

  @Override
  public void list(Path directory, Predicate<String> visitor) throws IOException {
    if (directory.equals(ready)) {
      for (int job = 0; job < jobs; job++) {
        boolean madeUp;
        synchronized (this) {
          madeUp = !real.get(job);
        }
        if (madeUp && !visitor.test(name(job))) {
          return;
        }
      }
    } else {
      materialize(directory);
    }
    disk.list(directory, visitor);
  }

  @Override
  public void syncFile(Path file) throws IOException {
    disk.syncFile(file);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    disk.syncDirectory(directory);
  }

  @Override
  public boolean syncAll() throws IOException {
    return disk.syncAll();
  }
}
