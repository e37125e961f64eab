/**
 * Interactive requests to a server in its own process: {@link dev.millrace.bench.chat.ModelServer}
 * starts it, {@link dev.millrace.bench.chat.CompletionStream} is one streamed request.
 */
@NullMarked
package dev.millrace.bench.chat;

import org.jspecify.annotations.NullMarked;
