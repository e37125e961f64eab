/** A sequence's way through segments of layers, as a transition table. */
@NullMarked
package dev.millrace.engine.pipe;

import org.jspecify.annotations.NullMarked;
