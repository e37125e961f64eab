/**
 * Versions of the arithmetic: what an output depends on beside the model's file, the prompt and the
 * parameters. Start at {@link NumericsVersion}; {@link ModelNumerics} selects the version of a
 * sequence from those that the engine has ({@link SupportedNumerics}).
 */
@NullMarked
package dev.millrace.engine.numerics;

import org.jspecify.annotations.NullMarked;
