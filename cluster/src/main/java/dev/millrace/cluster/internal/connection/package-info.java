/**
 * TLS connections between nodes. {@link ConnectionDialer} opens them; {@link ConnectionListener}
 * accepts them and reads the hello that both sides exchange first, then {@link
 * InboundConnectionHandler} admits or refuses. A connection becomes a link (see {@code
 * internal.link}) or carries one call, a question and its answer. Start at {@link
 * ConnectionListener} for what comes in, and at {@link ConnectionDialer} for what goes out.
 */
@NullMarked
package dev.millrace.cluster.internal.connection;

import org.jspecify.annotations.NullMarked;
