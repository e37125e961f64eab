/**
 * What a layer computes on rows of floats besides matrix products: norms, activation functions,
 * softmax, rotary position embedding (RoPE). Scalar code defines the result; the vector code gives
 * the same bits on every CPU. Start at {@link Arithmetic}.
 */
@NullMarked
package dev.millrace.engine.internal.math;

import org.jspecify.annotations.NullMarked;
