package dev.millrace.store.fs.internal.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Caches the part of a file that was last read, for sequential reads of lines. The file may only
 * grow or move.
 */
public final class CachedFileRegion {
  private static final int SIZE = 1 << 18;

  private long start;
  private byte[] bytes = {};

  public synchronized byte[] read(Disk disk, Path file, long offset, int length)
      throws IOException {
    if (offset < start || offset + length > start + bytes.length) {
      bytes = disk.read(file, offset, Math.max(SIZE, length));
      start = offset;
    }
    int from = (int) (offset - start);
    return Arrays.copyOfRange(bytes, from, Math.min(from + length, bytes.length));
  }
}
