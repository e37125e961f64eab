/**
 * How much is in a store and what waits in it, as readers are told: values without the jobs
 * themselves. Start at {@link dev.millrace.core.store.stats.StatusCounts}.
 */
@NullMarked
package dev.millrace.core.store.stats;

import org.jspecify.annotations.NullMarked;
