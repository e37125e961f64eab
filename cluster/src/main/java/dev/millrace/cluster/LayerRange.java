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

  /** As people write it, both ends included: {@code 3-5}. */
  @Override
  public String toString() {
    return length() == 1 ? Integer.toString(from) : from + "-" + (to - 1);
  }

  /** With the noun: {@code layers 3-5}, {@code layer 7}. */
  public String describe() {
    return choose("layer ", "layers ") + this;
  }

  /** The word for one layer or for several, whichever this range is. */
  public String choose(String one, String several) {
    return length() == 1 ? one : several;
  }
}
