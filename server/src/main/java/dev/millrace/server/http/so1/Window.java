package dev.millrace.server.http.so1;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The end of a log as it is at a moment. Immutable but for being superseded: whoever has read all
 * of it waits for that, and then looks at the next one.
 */
final class Window {
  /** How much of the log is held, for all streams together. */
  static final int ENTRIES = 1_024;

  static final int BYTES = 256 << 10;

  private final List<Chunk> chunks; // consecutive
  private final long last;
  private final byte @Nullable [] ending;
  private final CountDownLatch superseded = new CountDownLatch(1);

  private Window(List<Chunk> chunks, long last, byte @Nullable [] ending) {
    this.chunks = chunks;
    this.last = last;
    this.ending = ending;
  }

  /** Holds nothing of the log yet, of which {@code last} entries are there. */
  static Window after(long last) {
    return new Window(List.of(), last, null);
  }

  /** The same with the events of further entries, and without the oldest where that is too much. */
  Window with(List<byte[]> frames) {
    List<Chunk> all = new ArrayList<>(chunks);
    long number = last;
    for (byte[] frame : frames) {
      number++;
      if (!all.isEmpty() && all.getLast().takes(frame)) {
        all.add(all.removeLast().with(frame));
      } else {
        all.add(Chunk.of(number, frame));
      }
    }
    return new Window(trimmed(all), number, null);
  }

  private static List<Chunk> trimmed(List<Chunk> all) {
    long bytes = 0;
    int from = all.size();
    while (from > 0 && (from == all.size() || fits(all, from - 1, bytes))) {
      from--;
      bytes += all.get(from).bytes().length;
    }
    return List.copyOf(all.subList(from, all.size()));
  }

  private static boolean fits(List<Chunk> all, int from, long bytesAfter) {
    Chunk chunk = all.get(from);
    return bytesAfter + chunk.bytes().length <= BYTES
        && all.getLast().last() - chunk.after() <= ENTRIES;
  }

  /** The same as the last there will be; {@code frame} is sent to whoever has read the rest. */
  Window ended(byte[] frame) {
    return new Window(chunks, last, frame);
  }

  /** The number of the last entry but for the one that ends the job. */
  long last() {
    return last;
  }

  byte @Nullable [] ending() {
    return ending;
  }

  /** The chunk with the entry after {@code position}; null if it is not, or no longer, held. */
  @Nullable Chunk chunk(long position) {
    int low = 0;
    int high = chunks.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      Chunk chunk = chunks.get(middle);
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

  /** Lets all go on that wait; the next window must be there before. */
  void supersede() {
    superseded.countDown();
  }

  /** Whether there is a later one within that time. */
  boolean awaitNext(Duration atMost) throws InterruptedException {
    return superseded.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }
}
