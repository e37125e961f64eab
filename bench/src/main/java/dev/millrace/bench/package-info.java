/** Measurements of Millrace's own parts. */
@NullMarked
package dev.millrace.bench;

import org.jspecify.annotations.NullMarked;
