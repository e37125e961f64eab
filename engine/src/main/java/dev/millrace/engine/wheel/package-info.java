/** The loop that, turn by turn, runs whatever sequences are ready as one batch. */
@NullMarked
package dev.millrace.engine.wheel;

import org.jspecify.annotations.NullMarked;
