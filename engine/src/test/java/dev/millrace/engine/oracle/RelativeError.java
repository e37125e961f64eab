package dev.millrace.engine.oracle;

/**
 * How far results are from the reference: the root mean square of the differences over the root
 * mean square of the reference, over all positions and logits (or over an embedding). Nothing is
 * removed before: neither a mean, which softmax would not see, nor outliers.
 */
public final class RelativeError {
  /** By how much an error of the engine may exceed llama.cpp's. */
  public static final double MARGIN = 1.5;

  private double differences;
  private double squares;

  private RelativeError() {}

  /** The relative error of logits. */
  public static double of(float[][] actual, double[][] reference) {
    if (actual.length != reference.length) {
      throw new IllegalArgumentException(
          actual.length + " rows, the reference has " + reference.length);
    }
    RelativeError errors = new RelativeError();
    for (int i = 0; i < actual.length; i++) {
      errors.add(actual[i], reference[i]);
    }
    return errors.relative();
  }

  /** The relative error of an embedding, or of one position's logits. */
  public static double of(float[] actual, double[] reference) {
    return of(new float[][] {actual}, new double[][] {reference});
  }

  private void add(float[] actual, double[] reference) {
    if (actual.length != reference.length) {
      throw new IllegalArgumentException(
          actual.length + " numbers, the reference has " + reference.length);
    }
    for (int i = 0; i < actual.length; i++) {
      differences += (actual[i] - reference[i]) * (actual[i] - reference[i]);
      squares += reference[i] * reference[i];
    }
  }

  /** NaN, and so never small, if a result is not a number or the reference is zero. */
  private double relative() {
    return Math.sqrt(differences / squares);
  }
}
