/**
 * How the client talks HTTP: requests with retries, JSON responses, server-sent events, metrics.
 * Not part of the API of this jar. {@link ApiTransport} is what the resource classes call; it sends
 * through {@link RequestSender}. Start at {@link ApiTransport}.
 */
@NullMarked
package dev.millrace.client.internal.transport;

import org.jspecify.annotations.NullMarked;
