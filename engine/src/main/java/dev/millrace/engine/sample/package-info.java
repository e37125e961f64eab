/** Logits to tokens: penalties, filters, seeded choice, log probabilities, stop strings. */
@NullMarked
package dev.millrace.engine.sample;

import org.jspecify.annotations.NullMarked;
