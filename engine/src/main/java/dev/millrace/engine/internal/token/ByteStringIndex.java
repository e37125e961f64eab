package dev.millrace.engine.internal.token;

import dev.millrace.engine.internal.token.pretokenize.IntList;
import dev.millrace.engine.internal.token.pretokenize.LenientUtf8;
import java.util.Arrays;

/**
 * Finds strings by their UTF-8 bytes and returns their index in the list that the table was made
 * of. Of equal strings the first counts. A slice of a text is looked up in place, so tokenizing
 * makes no garbage.
 */
final class ByteStringIndex {
  /** The separator between the two halves of a pair. */
  private static final byte SEPARATOR = ' ';

  private static final long SEED = 0xCBF2_9CE4_8422_2325L;
  private static final long FACTOR = 0x9E37_79B9_7F4A_7C15L;

  private final byte[] pool;
  private final int[] ends; // where the bytes of string i end; they start where those of i - 1 end
  private final int[] slots; // 1 + the index of a string, 0 if empty
  private final int[] prints; // 32 bits of the hash of the string in the slot
  private final int longest;

  private ByteStringIndex(byte[] pool, int[] ends) {
    this.pool = pool;
    this.ends = ends;
    this.slots = new int[Integer.highestOneBit(Math.max(8, ends.length)) << 2];
    this.prints = new int[slots.length];
    int most = 0;
    for (int i = 0; i < ends.length; i++) {
      most = Math.max(most, length(i));
      put(i);
    }
    this.longest = most;
  }

  static ByteStringIndex of(String[] strings) {
    int[] ends = new int[strings.length];
    byte[] pool = new byte[Math.max(16, strings.length * 8)];
    int size = 0;
    for (int i = 0; i < strings.length; i++) {
      byte[] bytes = LenientUtf8.bytes(strings[i]);
      if (bytes.length > pool.length - size) {
        pool = Arrays.copyOf(pool, Math.addExact(size, bytes.length) + (size >> 1));
      }
      System.arraycopy(bytes, 0, pool, size, bytes.length);
      size += bytes.length;
      ends[i] = size;
    }
    return new ByteStringIndex(Arrays.copyOf(pool, size), ends);
  }

  /** The most bytes that any string has. */
  int longest() {
    return longest;
  }

  /** How many bytes string {@code index} has. */
  int length(int index) {
    return ends[index] - start(index);
  }

  /** The bytes of string {@code index}. */
  byte[] bytes(int index) {
    return Arrays.copyOfRange(pool, start(index), ends[index]);
  }

  int find(byte[] text) {
    return find(text, 0, text.length);
  }

  /** The index of the string with these bytes; -1 if there is none. */
  int find(byte[] text, int from, int to) {
    if (to - from > longest) {
      return -1;
    }
    long hash = hash(SEED, text, from, to);
    for (int slot = slot(hash); slots[slot] != 0; slot = next(slot)) {
      int index = slots[slot] - 1;
      if (prints[slot] == print(hash)
          && Arrays.equals(pool, start(index), ends[index], text, from, to)) {
        return index;
      }
    }
    return -1;
  }

  /** The index of the string "left right", of the two parts of a slice; -1 if there is none. */
  int findPair(byte[] text, int from, int middle, int to) {
    if (to - from + 1 > longest) {
      return -1;
    }
    long hash = hash(add(hash(SEED, text, from, middle), SEPARATOR), text, middle, to);
    for (int slot = slot(hash); slots[slot] != 0; slot = next(slot)) {
      int index = slots[slot] - 1;
      if (prints[slot] == print(hash) && isPair(index, text, from, middle, to)) {
        return index;
      }
    }
    return -1;
  }

  /** Adds the indices of all strings that the slice starts with, the shortest first. */
  void findPrefixes(byte[] text, int from, int to, IntList found) {
    long hash = SEED;
    int end = Math.min(to, from + longest);
    for (int at = from; at < end; at++) {
      hash = add(hash, text[at]);
      for (int slot = slot(hash); slots[slot] != 0; slot = next(slot)) {
        int index = slots[slot] - 1;
        if (prints[slot] == print(hash)
            && Arrays.equals(pool, start(index), ends[index], text, from, at + 1)) {
          found.add(index);
          break;
        }
      }
    }
  }

  private boolean isPair(int index, byte[] text, int from, int middle, int to) {
    int start = start(index);
    int gap = start + middle - from;
    return ends[index] - start == to - from + 1
        && pool[gap] == SEPARATOR
        && Arrays.equals(pool, start, gap, text, from, middle)
        && Arrays.equals(pool, gap + 1, ends[index], text, middle, to);
  }

  private void put(int index) {
    int start = start(index);
    long hash = hash(SEED, pool, start, ends[index]);
    int slot = slot(hash);
    for (; slots[slot] != 0; slot = next(slot)) {
      int other = slots[slot] - 1;
      if (prints[slot] == print(hash)
          && Arrays.equals(pool, start(other), ends[other], pool, start, ends[index])) {
        return;
      }
    }
    slots[slot] = index + 1;
    prints[slot] = print(hash);
  }

  private int start(int index) {
    return index == 0 ? 0 : ends[index - 1];
  }

  private int slot(long hash) {
    return (int) (hash >>> 20) & (slots.length - 1);
  }

  private int next(int slot) {
    return (slot + 1) & (slots.length - 1);
  }

  private static int print(long hash) {
    return (int) (hash >>> 32);
  }

  private static long hash(long hash, byte[] text, int from, int to) {
    for (int i = from; i < to; i++) {
      hash = add(hash, text[i]);
    }
    return hash;
  }

  /** The multiplication carries upwards only; the shift brings the high bits back into play. */
  private static long add(long hash, byte next) {
    long mixed = (hash ^ next) * FACTOR;
    return mixed ^ (mixed >>> 29);
  }
}
