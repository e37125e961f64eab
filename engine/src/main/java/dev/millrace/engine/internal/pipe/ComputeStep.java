package dev.millrace.engine.internal.pipe;

/** What is due next for a sequence; it travels with it. All but LAYER is the origin's work. */
public enum ComputeStep {
  TOKENIZE,
  EMBED,
  LAYER,
  NORM,
  HEAD
}
