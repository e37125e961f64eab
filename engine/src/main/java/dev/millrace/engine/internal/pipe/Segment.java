package dev.millrace.engine.internal.pipe;

/**
 * Consecutive layers [from, to) of a model, with the keys and values of its pages. One thread at a
 * time.
 */
public interface Segment {
  int from();

  int to();

  /** How many pages it keeps keys and values in: page numbers are below this. */
  default int pages() {
    return Integer.MAX_VALUE;
  }

  /**
   * Runs the batch's hidden states, in place, through these layers, and writes keys and values into
   * its pages.
   */
  void forward(Batch batch);
}
