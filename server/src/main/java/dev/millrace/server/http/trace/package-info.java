/**
 * Spans for requests and for the tasks of built-in workers, sent where OTLP is spoken. Without such
 * a place none of this is made, and W3C Trace Context still travels from a request to its tasks.
 */
@NullMarked
package dev.millrace.server.http.trace;

import org.jspecify.annotations.NullMarked;
