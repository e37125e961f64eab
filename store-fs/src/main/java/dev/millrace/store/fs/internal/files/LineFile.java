package dev.millrace.store.fs.internal.files;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.store.fs.internal.disk.CachedFileRegion;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Reads and appends numbered lines, from 1, of a file that only grows; their text is not kept in
 * memory. Any number of threads may read while one appends.
 */
final class LineFile {
  private static final int CHUNK = 1 << 20;

  /**
   * What is known of the file. No lock is held while the file is read: a thread that learned more
   * replaces this, unless another thread was faster.
   *
   * @param ends where the first {@code count} lines end; what follows is only for the thread that
   *     appends
   */
  private record Index(long[] ends, int count, CachedFileRegion region) {
    long end(int number) {
      return number == 0 ? 0 : ends[number - 1] + 1;
    }

    Index first(int known) {
      return new Index(ends, known, new CachedFileRegion());
    }

    /** With these lines behind the others; the array is shared, because most additions are small. */
    Index with(byte[] lines) {
      long[] more = ends;
      int last = count;
      for (int i = 0; i < lines.length; i++) {
        if (lines[i] == '\n') {
          more = last < more.length ? more : Arrays.copyOf(more, Math.max(64, last * 2));
          more[last++] = end(count) + i;
        }
      }
      return new Index(more, last, new CachedFileRegion());
    }
  }

  private final String relative;
  private final AtomicReference<Index> index =
      new AtomicReference<>(new Index(new long[0], 0, new CachedFileRegion()));

  /** The path below the job's directory, because the file moves with it. */
  LineFile(String relative) {
    this.relative = relative;
  }

  @Override
  public String toString() {
    return relative;
  }

  static byte[] bytes(List<JsonObject> lines) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (JsonObject line : lines) {
      out.writeBytes(StrictUtf8.bytes(Json.write(line)));
      out.write('\n');
    }
    return out.toByteArray();
  }

  String line(JobDirectory at, int number) throws IOException {
    Path file = at.file(relative);
    Index known = require(at, number);
    long from = known.end(number - 1);
    int length = Math.toIntExact(known.ends()[number - 1] - from);
    return StrictUtf8.of(file, known.region().read(at.disk(), file, from, length));
  }

  /** How many bytes a line has. */
  long length(JobDirectory at, int number) throws IOException {
    Index known = require(at, number);
    return known.ends()[number - 1] - known.end(number - 1);
  }

  /** How many bytes of memory its index and its cache take. */
  long size() {
    Index known = index.get();
    return 8L * known.ends().length + known.region().size();
  }

  /**
   * Appends lines after the first {@code known}. Anything beyond those was left by a crash and is
   * cut off. One thread at a time.
   */
  void append(JobDirectory at, int known, byte[] lines) throws IOException {
    Path file = at.file(relative);
    Index before = known > 0 ? require(at, known) : index.get();
    long end = before.end(known);
    if (at.disk().kind(file) == Disk.Kind.FILE && at.disk().size(file) > end) {
      at.disk().truncate(file, end);
    }
    Index valid = before.first(known);
    index.set(valid); // a reader may know more, of what was cut off
    at.disk().append(file, lines);
    index.set(valid.with(lines)); // its region is new: a reader may have seen half of the lines
  }

  /** What is known of the file, which is read again if fewer lines than that are known. */
  private Index require(JobDirectory at, int number) throws IOException {
    Path file = at.file(relative);
    Index known = index.get();
    if (number > known.count()) {
      Index more = extended(known, at.disk(), file);
      index.compareAndSet(known, more);
      known = more;
    }
    if (number < 1 || number > known.count()) {
      throw new JobFiles.MalformedJobException(
          file.getFileName() + " has " + known.count() + " lines, not " + number);
    }
    return known;
  }

  private static Index extended(Index known, Disk disk, Path file) throws IOException {
    long[] ends = Arrays.copyOf(known.ends(), Math.max(64, known.count() * 2));
    int count = known.count();
    for (long offset = known.end(count); ; offset += CHUNK) {
      byte[] chunk = disk.read(file, offset, CHUNK);
      for (int i = 0; i < chunk.length; i++) {
        if (chunk[i] == '\n') {
          if (count == ends.length) {
            ends = Arrays.copyOf(ends, count * 2);
          }
          ends[count++] = offset + i;
        }
      }
      if (chunk.length < CHUNK) {
        return new Index(ends, count, known.region());
      }
    }
  }
}
