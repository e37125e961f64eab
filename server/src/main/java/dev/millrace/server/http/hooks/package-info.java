/**
 * Webhooks: tells receivers over HTTP what became of a job, at least once and in order, and calls
 * only addresses that it is allowed to. The store's notes are the queue; what is in memory is only a
 * bounded part of it.
 */
@NullMarked
package dev.millrace.server.http.hooks;

import org.jspecify.annotations.NullMarked;
