package dev.millrace.http.transport;

import io.helidon.common.socket.SocketContext;
import io.helidon.webserver.http.ServerRequest;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;

/** Both ends of a connection: a client may use one port of its own towards several of our addresses. */
public record ConnectionAddresses(SocketAddress local, SocketAddress remote) {

  static ConnectionAddresses of(SocketChannel channel) throws IOException {
    return new ConnectionAddresses(channel.getLocalAddress(), channel.getRemoteAddress());
  }

  public static ConnectionAddresses of(ServerRequest request) {
    return new ConnectionAddresses(request.localPeer().address(), request.remotePeer().address());
  }

  static ConnectionAddresses of(SocketContext context) {
    return new ConnectionAddresses(context.localPeer().address(), context.remotePeer().address());
  }
}
