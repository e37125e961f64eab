/**
 * Messages between nodes. Each node dials a link for what it sends; the link we dialed and the one
 * the other node dialed live and die together as a {@link LinkPair}. Queues are bounded by bytes,
 * so senders feel back-pressure. Start at {@link PeerConnections}.
 */
@NullMarked
package dev.millrace.cluster.internal.link;

import org.jspecify.annotations.NullMarked;
