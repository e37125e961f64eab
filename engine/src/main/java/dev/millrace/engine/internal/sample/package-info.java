/**
 * The choice of the next token from logits: penalties, top-k, top-p, min-p, temperature, and a
 * random number that depends on seed and position alone; and the search for stop strings. Start at
 * {@link Sampler}.
 */
@NullMarked
package dev.millrace.engine.internal.sample;

import org.jspecify.annotations.NullMarked;
