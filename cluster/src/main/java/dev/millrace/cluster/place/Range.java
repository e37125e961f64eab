package dev.millrace.cluster.place;

/** Layers [from, to), at least one. */
public record Range(int from, int to) {
  public Range {
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
