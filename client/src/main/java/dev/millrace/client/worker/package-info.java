/**
 * Workers that process tasks of one stage type. A {@link Worker} claims tasks by long polling, runs
 * a {@link TaskHandler} for each, renews their leases by heartbeats and reports the results. A
 * handler sees its task as a {@link TaskContext}. Public classes are the API, the others are the
 * machinery. Start at {@link Worker}.
 */
@NullMarked
package dev.millrace.client.worker;

import org.jspecify.annotations.NullMarked;
