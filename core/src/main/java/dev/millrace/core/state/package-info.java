/** A state machine as data: one table, from which legality, sources and drawings are derived. */
@NullMarked
package dev.millrace.core.state;

import org.jspecify.annotations.NullMarked;
