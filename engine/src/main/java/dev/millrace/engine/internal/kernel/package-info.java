/**
 * One matrix class for each layout of weights (F32, F16, BF16, Q4_0, Q4_K, Q6_K, Q8_0; all other
 * types as bit planes, whose layouts {@link BitPlaneFormat} describes), with its SIMD kernel. Rows
 * are interleaved in groups of 16; a product goes by tiles, with the weights as they are stored, or
 * by panels, with the weights dequantized to floats in the nearest cache. Start at {@link
 * MatrixLoader}; {@code x1}, {@code x4} and {@code x8} say how many columns a kernel takes.
 */
@NullMarked
package dev.millrace.engine.internal.kernel;

import org.jspecify.annotations.NullMarked;
