/**
 * Prometheus metrics of the server: queues, jobs, tasks, models, pipes and HTTP requests. Labels
 * that users choose are bounded in number, so that metrics cannot grow without end. Start at {@link
 * ServerMetrics}.
 */
@NullMarked
package dev.millrace.http.metrics;

import org.jspecify.annotations.NullMarked;
