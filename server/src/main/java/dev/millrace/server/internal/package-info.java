/**
 * Helpers of the server that know nothing of workers: store calls that are retried while the store
 * fails, the delay of claims that bring nothing, an action that a thread repeats, the part of a
 * thread's work that may be interrupted, claims without a worker, and jobs that must not wait for a
 * slot. Not API of the jar. Start at {@link StoreRetry}.
 */
@NullMarked
package dev.millrace.server.internal;

import org.jspecify.annotations.NullMarked;
