package dev.millrace.cluster.internal.member;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jgroups.util.DefaultSocketFactory;

/**
 * The sockets of JGroups: TLS 1.3 only, certificates on both sides, handshakes with a time limit.
 */
final class TlsSocketFactory extends DefaultSocketFactory {
  private static final int BACKLOG = 50;

  private final SSLContext tls;
  private final Duration handshake;

  TlsSocketFactory(SSLContext tls, Duration handshake) {
    this.tls = tls;
    this.handshake = handshake;
  }

  @Override
  public Socket createSocket(String service) {
    return new TlsSocket(tls, handshake);
  }

  @Override
  public Socket createSocket(String service, String host, int port) {
    return connected(new InetSocketAddress(host, port));
  }

  @Override
  public Socket createSocket(String service, InetAddress address, int port) {
    return connected(new InetSocketAddress(address, port));
  }

  @Override
  public Socket createSocket(
      String service, String host, int port, InetAddress localAddress, int localPort) {
    return connected(new InetSocketAddress(host, port));
  }

  @Override
  public Socket createSocket(
      String service, InetAddress address, int port, InetAddress localAddress, int localPort) {
    return connected(new InetSocketAddress(address, port));
  }

  @Override
  public ServerSocket createServerSocket(String service) throws IOException {
    return new TlsServerSocket(tls, handshake);
  }

  @Override
  public ServerSocket createServerSocket(String service, int port) throws IOException {
    return bound(new InetSocketAddress(port), BACKLOG);
  }

  @Override
  public ServerSocket createServerSocket(String service, int port, int backlog) throws IOException {
    return bound(new InetSocketAddress(port), backlog);
  }

  @Override
  public ServerSocket createServerSocket(String service, int port, int backlog, InetAddress address)
      throws IOException {
    return bound(new InetSocketAddress(address, port), backlog);
  }

  private Socket connected(InetSocketAddress to) {
    TlsSocket socket = new TlsSocket(tls, handshake);
    socket.connect(to, (int) handshake.toMillis());
    return socket;
  }

  private ServerSocket bound(InetSocketAddress at, int backlog) throws IOException {
    ServerSocket socket = new TlsServerSocket(tls, handshake);
    socket.bind(at, backlog);
    return socket;
  }
}
