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

/** Opens connections to others and greets them. */
public final class ConnectionDialer {
  private final NodeIdentity us;
  private final Duration greeting;

  public ConnectionDialer(NodeIdentity us, Duration greeting) {
    this.us = us;
    this.greeting = greeting;
  }

  /** A connection whose other side let us in. */
  public record Dialled(TlsConnection connection, Welcome welcome) {}

  /**
   * @throws ClusterException in words for our user; {@link ClusterException#refused} where it is
   *     there and will not have us
   */
  public Dialled dial(HostPort at, Hello hello) {
    Socket plain = new Socket();
    boolean through = false;
    try {
      connect(plain, at);
      Dialled dialled = greet(plain, at, hello);
      through = true;
      return dialled;
    } catch (IOException e) {
      throw WireErrors.dialFailure(at, Stage.CONNECT, e);
    } finally {
      if (!through) {
        TlsConnection.closeNow(plain);
      }
    }
  }

  private void connect(Socket plain, HostPort at) throws IOException {
    InetSocketAddress address = new InetSocketAddress(at.host(), at.port());
    if (address.isUnresolved()) {
      throw new UnknownHostException(at.host());
    }
    plain.connect(address, (int) greeting.toMillis());
  }

  private Dialled greet(Socket plain, HostPort at, Hello hello) {
    Stage stage = Stage.HANDSHAKE;
    try (ConnectionDeadline deadline = new ConnectionDeadline(greeting, plain)) {
      try {
        TlsConnection connection = TlsConnection.over(plain, us.tls(), true);
        connection.startHandshake();
        stage = Stage.GREETING;
        Welcome welcome = talk(connection, at, hello);
        if (deadline.stopInTime()) {
          return new Dialled(connection, welcome);
        }
        throw new IOException("too late");
      } catch (IOException e) {
        throw deadline.passed()
            ? WireErrors.dialTimeout(at, greeting, e)
            : WireErrors.dialFailure(at, stage, e);
      }
    }
  }

  private Welcome talk(TlsConnection connection, HostPort at, Hello hello) throws IOException {
    int theirs = HelloProtocol.readPreamble(connection.in());
    HelloProtocol.writePreamble(connection.out(), ClusterProtocol.VERSION);
    if (theirs != ClusterProtocol.VERSION) {
      throw WireErrors.otherVersion(at, theirs);
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
    if (us.namesFromCertificates()
        && !CertificateNames.of(connection.peerCertificate()).contains(name)) {
      throw ClusterException.refused(
          ("%s calls itself \"%s\", which is no name in its certificate: name that node "
                  + "as its certificate says")
              .formatted(at, name),
          null);
    }
  }
}
