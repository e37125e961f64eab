/**
 * Random operations on two stores at once, which must return the same outcomes and show the same
 * jobs. A seed repeats a run. Start at {@link RandomOperations}.
 */
@NullMarked
package dev.millrace.core.store.random;

import org.jspecify.annotations.NullMarked;
