package dev.millrace.cluster.wire;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.wire.Greeting.Welcome;
import dev.millrace.cluster.wire.Words.Stage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;

/** Opens connections to others and greets them. */
final class Dialler {
  private final Identity us;
  private final Duration greeting;

  Dialler(Identity us, Duration greeting) {
    this.us = us;
    this.greeting = greeting;
  }

  /** A connection whose other side let us in. */
  record Dialled(Connection connection, Welcome welcome) {}

  /**
   * @throws ClusterException in words for our user; {@link ClusterException#refused} where it is
   *     there and will not have us
   */
  Dialled dial(HostPort at, Hello hello) {
    Socket plain = new Socket();
    boolean through = false;
    try {
      connect(plain, at);
      Dialled dialled = greet(plain, at, hello);
      through = true;
      return dialled;
    } catch (IOException e) {
      throw Words.dialling(at, Stage.CONNECT, e);
    } finally {
      if (!through) {
        Connection.cut(plain);
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
    try (Deadline deadline = new Deadline(greeting, plain)) {
      try {
        Connection connection = Connection.over(plain, us.tls(), true);
        connection.shakeHands();
        stage = Stage.GREETING;
        Welcome welcome = talk(connection, at, hello);
        if (deadline.keep()) {
          return new Dialled(connection, welcome);
        }
        throw new IOException("too late");
      } catch (IOException e) {
        throw deadline.passed() ? Words.silent(at, greeting, e) : Words.dialling(at, stage, e);
      }
    }
  }

  private Welcome talk(Connection connection, HostPort at, Hello hello) throws IOException {
    int theirs = Greeting.readPreamble(connection.in());
    Greeting.writePreamble(connection.out(), Protocol.VERSION);
    if (theirs != Protocol.VERSION) {
      throw Words.otherVersion(at, theirs);
    }
    Greeting.writeHello(connection.out(), hello);
    Welcome welcome = Greeting.readWelcome(connection.in());
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

  private void checkName(Connection connection, HostPort at, String name) throws IOException {
    if (us.namesFromCertificates() && !CertificateNames.of(connection.peer()).contains(name)) {
      throw ClusterException.refused(
          ("%s calls itself \"%s\", which is no name in its certificate: name that node "
                  + "as its certificate says")
              .formatted(at, name),
          null);
    }
  }
}
