/**
 * Replays a recorded trace of LLM requests through a workspace, and reports what became of each
 * request. Start at {@link TraceReplay}.
 */
@NullMarked
package dev.millrace.bench.trace;

import org.jspecify.annotations.NullMarked;
