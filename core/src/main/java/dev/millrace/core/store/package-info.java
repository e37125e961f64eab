/**
 * The contract of every job store, one interface for each kind of caller: submitters, readers,
 * users who control jobs, workers who claim tasks, and small durable notes. A lost race is a
 * returned {@code Outcome}; exceptions are for bugs, bad input and disk errors. Start at {@link
 * JobStore}.
 */
@NullMarked
package dev.millrace.core.store;

import org.jspecify.annotations.NullMarked;
