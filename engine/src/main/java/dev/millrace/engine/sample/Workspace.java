package dev.millrace.engine.sample;

/**
 * The arrays that a choice over a vocabulary needs, about 28 bytes a token. Samplers that one
 * thread runs in turn share one; nothing is carried in it from one choice to the next.
 */
public final class Workspace {
  static final int BLOCK = 256;

  final int vocabulary;
  final float[] scores;
  final double[] weights;
  final double[] blocks; // sums of BLOCK weights
  final int[] counts; // all zero between choices
  final Ranking ranking;
  final Nucleus nucleus;

  public Workspace(int vocabulary) {
    this.vocabulary = vocabulary;
    scores = new float[vocabulary];
    weights = new double[vocabulary];
    blocks = new double[(vocabulary + BLOCK - 1) / BLOCK];
    counts = new int[vocabulary];
    ranking = new Ranking(vocabulary);
    nucleus = new Nucleus();
  }
}
