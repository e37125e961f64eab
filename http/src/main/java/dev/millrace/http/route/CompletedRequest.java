package dev.millrace.http.route;

import dev.millrace.core.task.TraceContext;
import dev.millrace.http.auth.Principal;
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
 * @param trace what {@link RequestObserver#started} made of what the request said; null if it said nothing
 */
public record CompletedRequest(
    String method,
    @Nullable Route route,
    int status,
    long nanos,
    long bytes,
    @Nullable Principal principal,
    @Nullable TraceContext trace,
    String requestId) {}
