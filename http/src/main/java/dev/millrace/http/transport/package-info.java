/**
 * Connections and bytes below a request, the only package besides the root that knows the web
 * server (Helidon): which HTTP version a connection speaks, timeouts for slow or silent clients,
 * strict parsing of HTTP/1 request lines and HTTP/2 frames, bodies, gzip of responses, TLS
 * certificates. A stall is a client that sends or reads too slowly: {@link StallTimer} cuts it off;
 * {@link OpenConnections} closes idle connections. Start at {@link ProtocolSelector}.
 */
@NullMarked
package dev.millrace.http.transport;

import org.jspecify.annotations.NullMarked;
