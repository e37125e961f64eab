package dev.millrace.store.fs.internal.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Caches the part of a file that was last read, for sequential reads of lines. The file may only
 * grow or move. Thread-safe, without a lock: two threads may read the same part.
 */
public final class CachedFileRegion {
  private static final int SIZE = 1 << 18;

  private record Region(long start, byte[] bytes) {
    boolean holds(long offset, int length) {
      return offset >= start && offset + length <= start + bytes.length;
    }
  }

  private volatile Region last = new Region(0, new byte[0]);

  /** How many bytes it holds. */
  public int size() {
    return last.bytes().length;
  }

  public byte[] read(Disk disk, Path file, long offset, int length) throws IOException {
    Region region = last;
    if (!region.holds(offset, length)) {
      region = new Region(offset, disk.read(file, offset, Math.max(SIZE, length)));
      last = region;
    }
    int from = (int) (offset - region.start());
    return Arrays.copyOfRange(region.bytes(), from, Math.min(from + length, region.bytes().length));
  }
}
