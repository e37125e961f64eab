/**
 * TLS connections between nodes: dialing, listening, the hello that both sides exchange first, and
 * who is let in. A connection becomes a link (see {@code internal.link}) or carries one call, a
 * question and its answer. Start at {@link ConnectionListener} for what comes in, and at {@link
 * ConnectionDialer} for what goes out.
 */
@NullMarked
package dev.millrace.cluster.internal.connection;

import org.jspecify.annotations.NullMarked;
