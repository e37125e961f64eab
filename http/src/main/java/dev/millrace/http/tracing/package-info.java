/**
 * OpenTelemetry spans for requests and for the tasks of built-in workers, exported over OTLP.
 * Without a collector no span is created; W3C Trace Context still passes from a request to its
 * tasks. Start at {@link OtlpTracing}.
 */
@NullMarked
package dev.millrace.http.tracing;

import org.jspecify.annotations.NullMarked;
