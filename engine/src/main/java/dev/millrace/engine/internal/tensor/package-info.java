/**
 * The basis of matrix products: a {@link Matrix} of weights, the {@link Activations} that it is
 * multiplied with, and the {@link ComputePool}, the threads that compute. Here are also the SIMD
 * width of this process ({@link VectorWidth}) and {@link KernelTemplate}, which marks what kernels
 * are generated from. Start at {@link Matrix}.
 */
@NullMarked
package dev.millrace.engine.internal.tensor;

import org.jspecify.annotations.NullMarked;
