package dev.millrace.http.so1;

import java.util.Arrays;

/**
 * Encoded events of consecutive entries, as many streams send them. Immutable; nobody writes to its
 * arrays.
 *
 * @param after the number before its first entry
 * @param bytes of all its events, one after the other
 * @param ends where each of them ends
 */
record SseChunk(long after, byte[] bytes, int[] ends) {
  /** Entries, and bytes, beyond which nothing is added to a chunk. */
  static final int ENTRIES = 64;

  static final int BYTES = 16 << 10;

  static SseChunk of(long number, byte[] frame) {
    return new SseChunk(number - 1, frame, new int[] {frame.length});
  }

  long last() {
    return after + ends.length;
  }

  boolean hasRoomFor(byte[] frame) {
    return ends.length < ENTRIES && bytes.length + frame.length <= BYTES;
  }

  /** The same with the next entry's event. */
  SseChunk append(byte[] frame) {
    byte[] all = Arrays.copyOf(bytes, bytes.length + frame.length);
    System.arraycopy(frame, 0, all, bytes.length, frame.length);
    int[] more = Arrays.copyOf(ends, ends.length + 1);
    more[ends.length] = all.length;
    return new SseChunk(after, all, more);
  }

  /** The events of the entries after number {@code position}. */
  byte[] since(long position) {
    return position <= after
        ? bytes
        : Arrays.copyOfRange(bytes, ends[(int) (position - after) - 1], bytes.length);
  }
}
