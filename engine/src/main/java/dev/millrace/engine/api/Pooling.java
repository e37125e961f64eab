package dev.millrace.engine.api;

/** How the rows of a text become one vector. */
public enum Pooling {
  /** The mean of all rows. */
  MEAN,
  /** The first row, which a model trained for it fills at its token CLS. */
  CLS,
  /** The last row, the only one of a causal model that has seen the whole text. */
  LAST
}
