package dev.millrace.cluster;

/** Layers [from, to), at least one. */
public record LayerRange(int from, int to) {
  public LayerRange {
    if (from < 0 || to <= from) {
      throw new IllegalArgumentException("layers [%d, %d): at least one".formatted(from, to));
    }
  }

  public int length() {
    return to - from;
  }

  /** As people write it: both ends count. */
  @Override
  public String toString() {
    return length() == 1 ? Integer.toString(from) : from + "-" + (to - 1);
  }
}
