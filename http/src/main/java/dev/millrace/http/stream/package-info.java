/**
 * Server-sent events over a streamed response, for all route groups. Start at {@link
 * dev.millrace.http.stream.EventStream}.
 */
@NullMarked
package dev.millrace.http.stream;

import org.jspecify.annotations.NullMarked;
