package dev.millrace.core.internal.count;

import dev.millrace.core.job.JobId;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What every job adds to the counts. It holds millions of ended jobs, so it keeps a 64-bit hash for
 * each id, and all in flat arrays: 16 bytes for each slot, of which up to two thirds are in use.
 * That two of a million ids have the same hash has a chance of 3 in 100 million. Not thread-safe.
 */
final class CountedJobs {
  private static final int MIN_SLOTS = 64;

  private long[] keys = new long[MIN_SLOTS];
  private @Nullable SharedCounts[] shapes = new @Nullable SharedCounts[MIN_SLOTS];
  private int[] created = new int[MIN_SLOTS];
  private int size;

  static long key(JobId id) {
    String text = id.value();
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
    }
    hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL; // so that all bits depend on all characters
    hash = (hash ^ hash >>> 33) * 0xc4ceb9fe1a85ec53L;
    return hash ^ hash >>> 33;
  }

  void clear() {
    Arrays.fill(shapes, null);
    size = 0;
  }

  /** The slot of a job; negative if it is not here. */
  int find(long key) {
    int slot = slot(key);
    return shapes[slot] == null ? -1 : slot;
  }

  /** The slot where the key is, or would be added. */
  private int slot(long key) {
    int mask = keys.length - 1;
    int slot = (int) key & mask;
    while (shapes[slot] != null && keys[slot] != key) {
      slot = slot + 1 & mask;
    }
    return slot;
  }

  SharedCounts shape(int slot) {
    SharedCounts shape = shapes[slot];
    if (shape == null) {
      throw new IllegalStateException("slot " + slot + " is empty");
    }
    return shape;
  }

  int created(int slot) {
    return created[slot];
  }

  /** Adds a job that is not here, or replaces what it adds. */
  void put(long key, SharedCounts shape, int createdAt) {
    int slot = slot(key);
    if (shapes[slot] == null && 3 * (size + 1) > 2 * keys.length) {
      resize(2 * keys.length);
      slot = slot(key);
    }
    size += shapes[slot] == null ? 1 : 0;
    keys[slot] = key;
    shapes[slot] = shape;
    created[slot] = createdAt;
  }

  /** Empties a slot, and moves later entries so that each is still found from its first slot. */
  void remove(int slot) {
    int mask = keys.length - 1;
    int hole = slot;
    for (int next = hole + 1 & mask; shapes[next] != null; next = next + 1 & mask) {
      int home = (int) keys[next] & mask;
      if ((next - home & mask) >= (next - hole & mask)) {
        keys[hole] = keys[next];
        shapes[hole] = shapes[next];
        created[hole] = created[next];
        hole = next;
      }
    }
    shapes[hole] = null;
    size--;
    if (keys.length > MIN_SLOTS && 8 * size < keys.length) {
      resize(keys.length / 2);
    }
  }

  int size() {
    return size;
  }

  private void resize(int slots) {
    long[] oldKeys = keys;
    @Nullable SharedCounts[] oldShapes = shapes;
    int[] oldCreated = created;
    keys = new long[slots];
    shapes = new @Nullable SharedCounts[slots];
    created = new int[slots];
    for (int i = 0; i < oldKeys.length; i++) {
      SharedCounts shape = oldShapes[i];
      if (shape != null) {
        int slot = slot(oldKeys[i]);
        keys[slot] = oldKeys[i];
        shapes[slot] = shape;
        created[slot] = oldCreated[i];
      }
    }
  }
}
