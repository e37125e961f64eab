package dev.millrace.http.so1;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The end of a log at one moment. It is immutable; a reader that has read all of it waits until it
 * is superseded, then reads the next one.
 */
final class LogTail {
  /** The most entries in memory, for all streams together. */
  static final int ENTRIES = 1_024;

  static final int BYTES = 256 << 10;

  private final List<SseChunk> chunks; // consecutive
  private final long last;
  private final byte @Nullable [] ending;
  private final CountDownLatch superseded = new CountDownLatch(1);

  private LogTail(List<SseChunk> chunks, long last, byte @Nullable [] ending) {
    this.chunks = chunks;
    this.last = last;
    this.ending = ending;
  }

  /** An empty tail of a log that has {@code last} entries. */
  static LogTail after(long last) {
    return new LogTail(List.of(), last, null);
  }

  /** Appends the events of further entries; drops the oldest beyond the limits. */
  LogTail append(List<byte[]> frames) {
    List<SseChunk> all = new ArrayList<>(chunks);
    long number = last;
    for (byte[] frame : frames) {
      number++;
      if (!all.isEmpty() && all.getLast().hasRoomFor(frame)) {
        all.add(all.removeLast().append(frame));
      } else {
        all.add(SseChunk.of(number, frame));
      }
    }
    return new LogTail(trimmed(all), number, null);
  }

  private static List<SseChunk> trimmed(List<SseChunk> all) {
    long bytes = 0;
    int from = all.size();
    while (from > 0 && (from == all.size() || fits(all, from - 1, bytes))) {
      from--;
      bytes += all.get(from).bytes().length;
    }
    return List.copyOf(all.subList(from, all.size()));
  }

  private static boolean fits(List<SseChunk> all, int from, long bytesAfter) {
    SseChunk chunk = all.get(from);
    return bytesAfter + chunk.bytes().length <= BYTES
        && all.getLast().last() - chunk.after() <= ENTRIES;
  }

  /** The final tail; {@code frame} is sent after all entries. */
  LogTail withEnding(byte[] frame) {
    return new LogTail(chunks, last, frame);
  }

  /** The number of the last entry, not counting the one that ends the job. */
  long last() {
    return last;
  }

  byte @Nullable [] ending() {
    return ending;
  }

  /** The chunk with the entry after {@code position}; null if it is not in memory. */
  @Nullable SseChunk chunk(long position) {
    int low = 0;
    int high = chunks.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      SseChunk chunk = chunks.get(middle);
      if (position < chunk.after()) {
        high = middle - 1;
      } else if (position >= chunk.last()) {
        low = middle + 1;
      } else {
        return chunk;
      }
    }
    return null;
  }

  /** Wakes all waiting readers; the next tail must be published before. */
  void markSuperseded() {
    superseded.countDown();
  }

  /** Waits for the next tail; returns whether there is one. */
  boolean awaitNext(Duration atMost) throws InterruptedException {
    return superseded.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }
}
