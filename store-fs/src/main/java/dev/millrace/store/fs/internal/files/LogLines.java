package dev.millrace.store.fs.internal.files;

import dev.millrace.store.fs.internal.disk.Disk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Goes through the complete lines of a file, a part of it in memory at a time: a log may be larger
 * than the heap, and than an array. The file may grow meanwhile.
 */
public final class LogLines {
  private static final int CHUNK = 1 << 16;
  private static final int LONGEST = Integer.MAX_VALUE - 16;

  private final Disk disk;
  private final Path file;
  private final long to;

  /** The bytes of the file from {@code base} on that are in memory; a line starts at 0. */
  private byte[] buffer = {};

  private long base;
  private int size;
  private int start;
  private int end;
  private int next;
  private int scanned;
  private boolean atEnd;

  /** The lines from an offset, where one starts, up to {@code to}. */
  public LogLines(Disk disk, Path file, long from, long to) {
    this.disk = disk;
    this.file = file;
    this.base = from;
    this.to = to;
  }

  /** Goes to the next complete line; false if there is none. */
  public boolean next() throws IOException {
    do {
      for (int i = scanned; i < size; i++) {
        if (buffer[i] == '\n') {
          start = next;
          end = i;
          next = i + 1;
          scanned = next;
          return true;
        }
      }
      scanned = size;
    } while (fill());
    return false;
  }

  /** Reads more of the file behind the line that has no end yet. */
  private boolean fill() throws IOException {
    if (atEnd) {
      return false;
    }
    int rest = size - next;
    long from = base + size;
    // A long line doubles what is read at once, so that it is copied only a few times.
    int wanted = (int) Math.min(Math.max(CHUNK, rest), to - from);
    if (wanted <= 0) {
      atEnd = true;
      return false;
    }
    if (rest > LONGEST - wanted) {
      throw new EventLog.DamagedLogException(
          file.getFileName() + " has a line of more than " + rest + " bytes, which no entry has");
    }
    byte[] more = disk.read(file, from, wanted);
    atEnd = more.length < wanted;
    byte[] joined = rest == 0 ? more : Arrays.copyOfRange(buffer, next, next + rest + more.length);
    if (rest > 0) {
      System.arraycopy(more, 0, joined, rest, more.length);
    }
    buffer = joined;
    base += next;
    size = joined.length;
    scanned = rest;
    next = 0;
    return more.length > 0;
  }

  /** The length of the line, without its newline. */
  public int length() {
    return end - start;
  }

  public String text() {
    return new String(buffer, start, end - start, StandardCharsets.UTF_8);
  }

  boolean startsWith(byte[] prefix) {
    return length() >= prefix.length
        && Arrays.equals(buffer, start, start + prefix.length, prefix, 0, prefix.length);
  }

  boolean endsWith(byte[] suffix) {
    return length() >= suffix.length
        && Arrays.equals(buffer, end - suffix.length, end, suffix, 0, suffix.length);
  }

  /** Whether the line has bytes that no entry has, as a crash leaves them. */
  boolean hasControlCharacters() {
    for (int i = start; i < end; i++) {
      if (buffer[i] >= 0 && buffer[i] < ' ') {
        return true;
      }
    }
    return false;
  }

  /** Where the next line starts in the file. */
  public long nextOffset() {
    return base + next;
  }

  /** Where the file ended, once there was no next line. */
  long fileEnd() {
    return base + size;
  }
}
