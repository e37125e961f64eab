package dev.millrace.engine;

/** The version of everything that decides which tokens a model generates. */
public final class NumericsVersion {
  /**
   * Raised with any change after which the same file, prompt, parameters and seed can give other
   * tokens or vectors: the order of a sum, a kernel's rounding, the sampler, the random numbers,
   * the tokenizer's splitting. An output that was begun under another version is never resumed, and
   * never compared.
   */
  public static final int CURRENT = 1;

  private NumericsVersion() {}
}
