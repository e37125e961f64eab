package dev.millrace.http.transport;

import io.helidon.common.socket.SocketContext;
import io.helidon.webserver.http.ServerRequest;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;

/**
 * Both addresses of a connection, which identify it: a client may use one of its ports for several
 * addresses of this server.
 */
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
