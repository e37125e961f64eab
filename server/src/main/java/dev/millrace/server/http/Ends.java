package dev.millrace.server.http;

import io.helidon.common.socket.SocketContext;
import io.helidon.webserver.http.ServerRequest;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;

/** Both ends of a connection: a client may use one port of its own towards several of our addresses. */
record Ends(SocketAddress local, SocketAddress remote) {

  static Ends of(SocketChannel channel) throws IOException {
    return new Ends(channel.getLocalAddress(), channel.getRemoteAddress());
  }

  static Ends of(ServerRequest request) {
    return new Ends(request.localPeer().address(), request.remotePeer().address());
  }

  static Ends of(SocketContext context) {
    return new Ends(context.localPeer().address(), context.remotePeer().address());
  }
}
