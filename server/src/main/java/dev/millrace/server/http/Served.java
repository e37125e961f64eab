package dev.millrace.server.http;

import dev.millrace.core.job.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * A request that has its answer.
 *
 * @param method as it was asked, or {@code _OTHER} if no route has such a method
 * @param route null if there is none for what was asked
 * @param status as sent; 499 if the client had gone, 408 if it was too slow
 * @param nanos from its first line to the last byte of the answer
 * @param bytes of the answer's body
 * @param principal null if nobody was recognized
 * @param trace what {@link Observer#begins} made of what the request said; null if it said nothing
 */
public record Served(
    String method,
    @Nullable Route route,
    int status,
    long nanos,
    long bytes,
    @Nullable Principal principal,
    @Nullable TraceContext trace,
    String requestId) {}
