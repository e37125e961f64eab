/**
 * When a constraint begins to hold in the output of one sequence: at once, after the thoughts, or
 * with a trigger. A {@link ConstraintTracker} follows the tokens of a sequence, and says which may
 * come next. Start there; {@link ConstraintTrackerFactory} makes them.
 */
@NullMarked
package dev.millrace.engine.internal.constraint;

import org.jspecify.annotations.NullMarked;
