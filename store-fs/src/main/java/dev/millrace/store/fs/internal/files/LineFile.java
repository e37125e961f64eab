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

/**
 * Reads and appends numbered lines, from 1, of a file that only grows; their text is not kept in
 * memory.
 */
final class LineFile {
  private static final int CHUNK = 1 << 20;

  private final String relative;
  private CachedFileRegion region = new CachedFileRegion();
  private long[] ends = new long[64];
  private int count;

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

  synchronized String line(JobDirectory at, int number) throws IOException {
    Path file = at.file(relative);
    require(at, number);
    long from = end(number - 1);
    return StrictUtf8.of(
        file, region.read(at.disk(), file, from, Math.toIntExact(ends[number - 1] - from)));
  }

  /**
   * Appends lines after the first {@code known}. Anything beyond those was left by a crash and is
   * cut off.
   */
  synchronized void append(JobDirectory at, int known, byte[] lines) throws IOException {
    Path file = at.file(relative);
    if (known > 0) {
      require(at, known);
    }
    long end = end(known);
    if (at.disk().kind(file) == Disk.Kind.FILE && at.disk().size(file) > end) {
      at.disk().truncate(file, end);
    }
    count = known;
    region = new CachedFileRegion();
    at.disk().append(file, lines);
  }

  private long end(int number) {
    return number == 0 ? 0 : ends[number - 1] + 1;
  }

  /** Reads the lines that were added, if fewer than that are known. */
  private void require(JobDirectory at, int number) throws IOException {
    Path file = at.file(relative);
    if (number > count) {
      index(at.disk(), file);
    }
    if (number < 1 || number > count) {
      throw new JobFiles.MalformedJobException(
          file.getFileName() + " has " + count + " lines, not " + number);
    }
  }

  private void index(Disk disk, Path file) throws IOException {
    for (long offset = end(count); ; offset += CHUNK) {
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
        return;
      }
    }
  }
}
