package dev.millrace.cluster.internal.audit;

import dev.millrace.engine.internal.pipe.RowHashRecorder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The hidden states of one sequence by position, from 0 on without a gap. One thread at a time. */
final class HiddenStates {
  private final int width;
  private final List<float[]> rows = new ArrayList<>();

  HiddenStates(int width) {
    this.width = width;
  }

  int width() {
    return width;
  }

  int count() {
    return rows.size();
  }

  /** Memory of one row. */
  static long bytes(int width) {
    return 4L * width + 64;
  }

  /** Adds the next row; false if it is not the next. */
  boolean add(int position, float[] hidden, int offset) {
    if (position != rows.size()) {
      return false;
    }
    rows.add(Arrays.copyOfRange(hidden, offset, offset + width));
    return true;
  }

  void copyTo(int position, float[] hidden, int offset) {
    System.arraycopy(rows.get(position), 0, hidden, offset, width);
  }

  /** The hash of each row, as nodes record it. */
  List<byte[]> hashes() {
    return rows.stream().map(row -> RowHashRecorder.hash(row, 0, width)).toList();
  }

  /** Whether both have the same bits. */
  boolean hasSameBits(HiddenStates other) {
    if (rows.size() != other.rows.size()) {
      return false;
    }
    for (int i = 0; i < rows.size(); i++) {
      if (!sameBits(rows.get(i), other.rows.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean sameBits(float[] a, float[] b) {
    for (int i = 0; i < a.length; i++) {
      if (Float.floatToRawIntBits(a[i]) != Float.floatToRawIntBits(b[i])) {
        return false;
      }
    }
    return true;
  }
}
