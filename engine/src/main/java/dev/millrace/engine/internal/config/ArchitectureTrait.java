package dev.millrace.engine.internal.config;

/**
 * How an architecture differs from the basic plan: RMS norms before each block, no biases, SiLU
 * activation, causal attention.
 */
public enum ArchitectureTrait {
  /** Norms subtract the mean and have a bias. */
  LAYER_NORM,
  /** Positions rotate neighbours (2i, 2i + 1) of a head. */
  ROTATED_PAIRS,
  /** Positions rotate (i, i + n/2) of a head. */
  ROTATED_HALVES,
  /** Positions are learned vectors that are added to the embedding. */
  LEARNED_POSITIONS,
  /** The feed-forward network multiplies its activation with a second projection. */
  GATED,
  /** GELU (its tanh form, as llama.cpp has it for all of these) instead of SiLU. */
  GELU,
  /** The projections to queries, keys and values must have biases. */
  QKV_BIASES,
  /** All other projections must have biases. */
  BIASES,
  /** Queries and keys are normed head by head before the rotation. */
  HEAD_NORMS,
  /** A second norm after each block, before it is added. */
  SANDWICH_NORMS,
  /** The embedding is multiplied by the root of the width. */
  SCALED_EMBEDDING,
  /** The feed-forward network must have experts. */
  EXPERTS,
  /** Attention looks both ways, norms follow the additions, and there is no head. */
  ENCODER
}
