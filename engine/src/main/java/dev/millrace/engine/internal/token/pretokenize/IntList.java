package dev.millrace.engine.internal.token.pretokenize;

import java.util.Arrays;

/** A growing list of unboxed ints. */
public final class IntList {
  private int[] items = new int[64];
  private int size;

  public void add(int item) {
    if (size == items.length) {
      items = Arrays.copyOf(items, size + (size >> 1));
    }
    items[size++] = item;
  }

  public int get(int index) {
    return items[index];
  }

  public int size() {
    return size;
  }

  public void truncate(int newSize) {
    size = newSize;
  }

  public int[] toArray() {
    return Arrays.copyOf(items, size);
  }
}
