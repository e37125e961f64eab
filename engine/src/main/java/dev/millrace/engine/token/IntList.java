package dev.millrace.engine.token;

import java.util.Arrays;

/** Numbers in a row, unboxed. */
final class IntList {
  private int[] items = new int[64];
  private int size;

  void add(int item) {
    if (size == items.length) {
      items = Arrays.copyOf(items, size + (size >> 1));
    }
    items[size++] = item;
  }

  int get(int index) {
    return items[index];
  }

  int size() {
    return size;
  }

  void truncate(int newSize) {
    size = newSize;
  }

  int[] toArray() {
    return Arrays.copyOf(items, size);
  }
}
