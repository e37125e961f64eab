/**
 * The layers of a transformer: attention and feed-forward blocks (dense, or a mixture of experts),
 * each with its norms and its residual addition. Weights are shared; buffers are allocated once for
 * the largest batch. Start at {@link ResidualBlock}, then {@link AttentionBlock} and {@link
 * DenseFeedForward}.
 */
@NullMarked
package dev.millrace.engine.internal.layer;

import org.jspecify.annotations.NullMarked;
