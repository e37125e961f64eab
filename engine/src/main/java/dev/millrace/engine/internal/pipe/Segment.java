package dev.millrace.engine.internal.pipe;

/**
 * Consecutive layers [from, to) of a model, with the keys and values of their pages. For one thread
 * at a time.
 */
public interface Segment {
  int from();

  int to();

  /** The number of its cache pages: page numbers are below this. */
  default int pages() {
    return Integer.MAX_VALUE;
  }

  /**
   * Computes these layers on the batch's hidden states, in place, and writes keys and values into
   * its pages.
   */
  void forward(Batch batch);
}
