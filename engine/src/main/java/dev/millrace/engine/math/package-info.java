/**
 * The arithmetic between the matrix products: norms, rotations, activations, each with one order of
 * rounding.
 */
@NullMarked
package dev.millrace.engine.math;

import org.jspecify.annotations.NullMarked;
