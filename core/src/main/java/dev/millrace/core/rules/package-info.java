/**
 * How a job moves: events folded into states, and the rules that derive the next events. Pure: no
 * clock, no file, no randomness of their own.
 */
@NullMarked
package dev.millrace.core.rules;

import org.jspecify.annotations.NullMarked;
