/**
 * What every store promises, as verbs of the lifecycle. Lost races are values; exceptions are for
 * bugs, bad input and a disk that fails.
 */
@NullMarked
package dev.millrace.core.store;

import org.jspecify.annotations.NullMarked;
