/** The commands, and the only place that wires concrete parts together. */
@NullMarked
package dev.millrace.cli;

import org.jspecify.annotations.NullMarked;
