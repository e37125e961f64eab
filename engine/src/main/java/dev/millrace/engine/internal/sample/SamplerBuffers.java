package dev.millrace.engine.internal.sample;

/**
 * The arrays for choosing a token, about 28 bytes per token of the vocabulary. Samplers of one
 * thread share them; no content survives from one choice to the next.
 */
public final class SamplerBuffers {
  static final int BLOCK = 256;

  final int vocabulary;
  final float[] scores;
  final double[] weights;
  final double[] blocks; // sums of BLOCK weights
  final int[] counts; // all zero between choices
  final TokenRanking ranking;
  final TopPCutoff nucleus;

  public SamplerBuffers(int vocabulary) {
    this.vocabulary = vocabulary;
    scores = new float[vocabulary];
    weights = new double[vocabulary];
    blocks = new double[(vocabulary + BLOCK - 1) / BLOCK];
    counts = new int[vocabulary];
    ranking = new TokenRanking(vocabulary);
    nucleus = new TopPCutoff();
  }
}
