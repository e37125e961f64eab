package dev.millrace.engine;

/** Which tokens follow: the version of everything that decides about it. */
public final class NumericsVersion {
  /**
   * Raised with any change after which the same file, prompt, parameters and seed can give other
   * tokens or vectors: the order of a sum, a kernel's rounding, the sampler, the random numbers,
   * the tokenizer's splitting. Outputs begun under another version are not gone on with, and not
   * compared.
   */
  public static final int CURRENT = 1;

  private NumericsVersion() {}
}
