package dev.millrace.store.fs;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.store.fs.JobFiles.At;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Lines of a file that does not change, by number from 1, without holding their text. */
final class LineFile {
  private static final int CHUNK = 1 << 20;

  private final String relative;
  private final Region region = new Region();
  private long[] ends = {};

  /** The file moves with its job's directory: only its path below that is kept. */
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
      out.writeBytes(Text.bytes(Json.write(line)));
      out.write('\n');
    }
    return out.toByteArray();
  }

  synchronized String line(At at, int number) throws IOException {
    Path file = at.file(relative);
    if (ends.length == 0) {
      ends = index(at.disk(), file);
    }
    if (number < 1 || number > ends.length) {
      throw new JobFiles.Malformed(
          file.getFileName() + " has " + ends.length + " lines, not " + number);
    }
    long from = number == 1 ? 0 : ends[number - 2] + 1;
    return Text.of(
        file, region.read(at.disk(), file, from, Math.toIntExact(ends[number - 1] - from)));
  }

  private static long[] index(Disk disk, Path file) throws IOException {
    long[] found = new long[64];
    int count = 0;
    for (long offset = 0; ; offset += CHUNK) {
      byte[] chunk = disk.read(file, offset, CHUNK);
      for (int i = 0; i < chunk.length; i++) {
        if (chunk[i] == '\n') {
          if (count == found.length) {
            found = Arrays.copyOf(found, count * 2);
          }
          found[count++] = offset + i;
        }
      }
      if (chunk.length < CHUNK) {
        return Arrays.copyOf(found, count);
      }
    }
  }
}
