/**
 * Runnable examples of Millrace's Java API: a queue or a model inside your program, stages with a
 * gate, a job that grows over HTTP, and a remote worker. Start at {@link EmbeddedQueue}.
 */
@NullMarked
package dev.millrace.examples;

import org.jspecify.annotations.NullMarked;
