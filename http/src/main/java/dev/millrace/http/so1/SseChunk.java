package dev.millrace.http.so1;

import java.util.Arrays;

/**
 * Encoded events of consecutive entries, shared by many streams. Immutable: its arrays are never
 * written to.
 *
 * @param after the number before the first entry
 * @param bytes the events, one after the other
 * @param ends the end of each event in {@code bytes}
 */
record SseChunk(long after, byte[] bytes, int[] ends) {
  /** The most entries of a chunk; {@link #BYTES} is the most bytes. */
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

  /** Appends the event of the next entry. */
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
