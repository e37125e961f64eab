package dev.millrace.engine.internal.pipe;

/**
 * The next computation for a sequence; it is sent along with it. All but LAYER run at the origin.
 */
public enum NextComputation {
  TOKENIZE,
  EMBED,
  LAYER,
  NORM,
  HEAD
}
