package dev.millrace.cluster.internal.connection;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ClusterProtocol;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.internal.connection.HelloProtocol.Welcome;
import dev.millrace.cluster.internal.connection.WireErrors.Stage;
import dev.millrace.tls.CertificateNames;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;

/** Opens connections to other nodes: TCP, TLS handshake, hello. */
public final class ConnectionDialer {
  private final NodeIdentity identity;
  private final Duration helloTimeout;

  public ConnectionDialer(NodeIdentity identity, Duration helloTimeout) {
    this.identity = identity;
    this.helloTimeout = helloTimeout;
  }

  /** A connection that the other side accepted. */
  public record Dialed(TlsConnection connection, Welcome welcome) {}

  /**
   * @throws ClusterException {@link ClusterException#refused} if the other side refuses us
   */
  public Dialed dial(HostPort at, Hello hello) {
    Socket plain = new Socket();
    boolean accepted = false;
    try {
      connect(plain, at);
      Dialed dialed = exchangeHello(plain, at, hello);
      accepted = true;
      return dialed;
    } catch (IOException e) {
      throw WireErrors.dialFailure(at, Stage.CONNECT, e);
    } finally {
      if (!accepted) {
        TlsConnection.closeNow(plain);
      }
    }
  }

  private void connect(Socket plain, HostPort at) throws IOException {
    InetSocketAddress address = new InetSocketAddress(at.host(), at.port());
    if (address.isUnresolved()) {
      throw new UnknownHostException(at.host());
    }
    plain.connect(address, (int) helloTimeout.toMillis());
  }

  private Dialed exchangeHello(Socket plain, HostPort at, Hello hello) {
    Stage stage = Stage.HANDSHAKE;
    try (ConnectionDeadline deadline = new ConnectionDeadline(helloTimeout, plain)) {
      try {
        TlsConnection connection = TlsConnection.over(plain, identity.tls(), true);
        connection.startHandshake();
        stage = Stage.GREETING;
        Welcome welcome = sendHello(connection, at, hello);
        if (deadline.stopInTime()) {
          return new Dialed(connection, welcome);
        }
        throw new IOException("too late");
      } catch (IOException e) {
        throw deadline.passed()
            ? WireErrors.dialTimeout(at, helloTimeout, e)
            : WireErrors.dialFailure(at, stage, e);
      }
    }
  }

  private Welcome sendHello(TlsConnection connection, HostPort at, Hello hello) throws IOException {
    int version = HelloProtocol.readPreamble(connection.in());
    HelloProtocol.writePreamble(connection.out(), ClusterProtocol.VERSION);
    if (version != ClusterProtocol.VERSION) {
      throw WireErrors.otherVersion(at, version);
    }
    HelloProtocol.writeHello(connection.out(), hello);
    Welcome welcome = HelloProtocol.readWelcome(connection.in());
    switch (welcome.verdict()) {
      case WELCOME -> checkName(connection, at, welcome.name());
      case REFUSED -> throw ClusterException.refused(refusal(at, welcome), null);
      case NOT_NOW -> throw new ClusterException(refusal(at, welcome));
    }
    return welcome;
  }

  private static String refusal(HostPort at, Welcome welcome) {
    return at + " refused us: " + welcome.text();
  }

  private void checkName(TlsConnection connection, HostPort at, String name) throws IOException {
    if (identity.namesFromCertificates()
        && !CertificateNames.of(connection.peerCertificate()).contains(name)) {
      throw ClusterException.refused(
          ("%s calls itself \"%s\", which is no name in its certificate: name that node "
                  + "as its certificate says")
              .formatted(at, name),
          null);
    }
  }
}
