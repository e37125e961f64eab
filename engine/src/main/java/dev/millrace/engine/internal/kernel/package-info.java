/**
 * Weights in memory, and products with them. {@link BlockFormat} says what a quantized type is in a
 * file. A matrix class (Q4_0, Q4_K, Q6_K, Q8_0, the floats; all other types as bit planes) has the
 * layout in memory, how it is packed, how the scalar oracle reads it, and the template of its SIMD
 * kernel, from which the build generates {@code …Kernel} classes. Rows are interleaved in groups of
 * 16; a product goes by tiles, with the weights as they are stored, or by panels, with the weights
 * dequantized to floats in the nearest cache. Start at {@link MatrixLoader}.
 */
@NullMarked
package dev.millrace.engine.internal.kernel;

import org.jspecify.annotations.NullMarked;
