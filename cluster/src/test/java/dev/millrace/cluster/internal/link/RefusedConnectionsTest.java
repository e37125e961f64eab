package dev.millrace.cluster.internal.link;

import static dev.millrace.cluster.internal.link.LoopbackConnections.eventually;
import static dev.millrace.cluster.internal.link.LoopbackConnections.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ClusterProtocol;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NetworkKey;
import dev.millrace.cluster.NetworkKeyFixture;
import dev.millrace.cluster.internal.connection.AdmissionPolicy;
import dev.millrace.cluster.internal.connection.CallClient;
import dev.millrace.cluster.internal.connection.ConnectionListener;
import dev.millrace.cluster.internal.connection.ConnectionSettings;
import dev.millrace.cluster.internal.connection.HelloProtocol;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import dev.millrace.cluster.internal.connection.RefusalLog;
import dev.millrace.cluster.internal.connection.TlsConnection;
import dev.millrace.tls.MutualTls;
import dev.millrace.tls.PeerTrustManager;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Those who have no key, another key, another version, or are no nodes at all. */
@Timeout(90)
@Tag("slow")
final class RefusedConnectionsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final PeerTrustManager TRUSTING = new PeerTrustManager((chain, ofClient) -> {});

  @FunctionalInterface
  private interface Serving {
    void serve(Socket socket) throws IOException;
  }

  /** Something that listens and is no node as it should be. */
  private static ServerSocket serving(Serving serving) throws IOException {
    ServerSocket server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
    Thread.ofVirtual()
        .start(
            () -> {
              while (!server.isClosed()) {
                try (Socket socket = server.accept()) {
                  serving.serve(socket);
                } catch (IOException e) {
                  // The next one.
                }
              }
            });
    return server;
  }

  private static HostPort at(ServerSocket server) {
    return new HostPort("127.0.0.1", server.getLocalPort());
  }

  /** What sending to that address says. */
  private static ClusterException sending(LoopbackConnections net, SSLContext tls, HostPort to) {
    PeerConnections a = net.open("a", 1, tls, LoopbackConnections.OPEN, new RecordingReceiver());
    a.addNode("b", to, 1);
    try {
      a.send("b", text("secret payload"));
    } catch (ClusterException e) {
      return e;
    }
    throw new AssertionError("it was sent");
  }

  @Test
  void anotherKeyIsRefusedAndTellsNothing() {
    RecordingReceiver atB = new RecordingReceiver();
    try (LoopbackConnections net = new LoopbackConnections()) {
      PeerConnections b = net.open("secretname", 1, net.tls, LoopbackConnections.OPEN, atB);
      ClusterException said = sending(net, NetworkKey.generate().tls(), b.address());
      assertThat(said)
          .hasMessage(
              b.address()
                  + " has another network key (or certificate): we refused it; use that network's"
                  + " key: its key file, or its network_key");
      assertThat(said.refused()).isTrue();
      assertThat(said.toString()).doesNotContain("secretname");
      assertThat(atB.all).isEmpty();
    }
  }

  @Test
  void aNodeWithAnotherKeyThatTrustsAllOthersReadsThatItWasRefused() {
    RecordingReceiver atB = new RecordingReceiver();
    SSLContext trustsAll = NetworkKeyFixture.trustingEverybody();
    try (LoopbackConnections net = new LoopbackConnections()) {
      PeerConnections b = net.open("secretname", 1, net.tls, LoopbackConnections.OPEN, atB);
      for (int i = 0; i < 20; i++) {
        ClusterException said = sending(net, trustsAll, b.address());
        assertThat(said)
            .hasMessage(
                b.address()
                    + " has another network key (or certificate): it refused us; use that network's"
                    + " key: its key file, or its network_key");
        assertThat(said.refused()).isTrue();
      }
      assertThat(atB.all).isEmpty();
    }
  }

  @Test
  void aClientWithoutACertificateReadsNothing() throws Exception {
    RecordingReceiver atB = new RecordingReceiver();
    SSLContext bare = SSLContext.getInstance("TLSv1.3");
    bare.init(null, new TrustManager[] {TRUSTING}, null);
    try (LoopbackConnections net = new LoopbackConnections()) {
      PeerConnections b = net.open("b", atB);
      assertThat(sending(net, bare, b.address()))
          .hasMessageContaining("has another network key (or certificate): it refused us");
      try (Socket plain = new Socket(b.address().host(), b.address().port())) {
        SSLSocket socket = MutualTls.over(plain, bare, true);
        socket.startHandshake();
        InputStream in = socket.getInputStream();
        assertThatThrownBy(in::read).isInstanceOf(SSLException.class);
      }
      assertThat(atB.all).isEmpty();
    }
  }

  @Test
  void plainHttpToOurPortIsTurnedAway() throws Exception {
    RecordingReceiver atB = new RecordingReceiver();
    try (LoopbackConnections net = new LoopbackConnections()) {
      PeerConnections b = net.open("secretname", 1, net.tls, LoopbackConnections.OPEN, atB);
      try (Socket http = new Socket(b.address().host(), b.address().port())) {
        http.setSoTimeout(10_000);
        http.getOutputStream()
            .write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        byte[] answer = http.getInputStream().readAllBytes();
        assertThat(new String(answer, StandardCharsets.ISO_8859_1)).doesNotContain("secretname");
      }
      assertThat(atB.all).isEmpty();
    }
  }

  @Test
  void aServerOfPlainHttpIsNoNode() throws Exception {
    byte[] answer = "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    try (LoopbackConnections net = new LoopbackConnections();
        ServerSocket http =
            serving(
                socket -> {
                  assertThat(socket.getInputStream().read()).isEqualTo(0x16);
                  socket.getOutputStream().write(answer);
                })) {
      ClusterException said = sending(net, net.tls, at(http));
      assertThat(said)
          .hasMessage(
              at(http)
                  + " does not speak TLS: it is not a Millrace node; give the address that a node"
                  + " listens on");
    }
  }

  @Test
  void anotherVersionIsNamedOnTheDialledSide() throws Exception {
    try (LoopbackConnections net = new LoopbackConnections();
        ServerSocket newer =
            serving(
                socket -> {
                  TlsConnection connection = TlsConnection.over(socket, net.tls, false);
                  connection.startHandshake();
                  HelloProtocol.writePreamble(connection.out(), ClusterProtocol.VERSION + 1);
                  assertThat(HelloProtocol.readPreamble(connection.in()))
                      .isEqualTo(ClusterProtocol.VERSION);
                  connection.closeGracefully();
                })) {
      ClusterException said = sending(net, net.tls, at(newer));
      assertThat(said)
          .hasMessage(
              "%s speaks version %d, we speak %d: run the same release of Millrace on all nodes"
                  .formatted(at(newer), ClusterProtocol.VERSION + 1, ClusterProtocol.VERSION));
      assertThat(said.refused()).isTrue();
    }
  }

  @Test
  void aDiallerOfAnotherVersionOnlyLearnsOurs() throws Exception {
    RecordingReceiver atB = new RecordingReceiver();
    try (LoopbackConnections net = new LoopbackConnections()) {
      PeerConnections b = net.open("secretname", 1, net.tls, LoopbackConnections.OPEN, atB);
      try (Socket plain = new Socket(b.address().host(), b.address().port())) {
        TlsConnection connection = TlsConnection.over(plain, net.tls, true);
        connection.startHandshake();
        HelloProtocol.writePreamble(connection.out(), ClusterProtocol.VERSION + 1);
        assertThat(HelloProtocol.readPreamble(connection.in())).isEqualTo(ClusterProtocol.VERSION);
        assertThat(plain.getInputStream().readAllBytes().length).isLessThan(100);
      }
      assertThat(atB.all).isEmpty();
    }
  }

  @Test
  void tlsThatIsNoNodeIsNamed() throws Exception {
    try (LoopbackConnections net = new LoopbackConnections();
        ServerSocket other =
            serving(
                socket -> {
                  TlsConnection connection = TlsConnection.over(socket, net.tls, false);
                  connection.startHandshake();
                  connection.out().write("220 mail ready\r\n".getBytes(StandardCharsets.US_ASCII));
                  connection.closeGracefully();
                })) {
      assertThat(sending(net, net.tls, at(other)))
          .hasMessage(
              at(other)
                  + ": it speaks TLS, but is not a Millrace node; give the address that a node"
                  + " listens on");
    }
  }

  @Test
  void theReasonOfThePolicyReachesTheRefusedNode() {
    RecordingReceiver atB = new RecordingReceiver();
    try (LoopbackConnections net = new LoopbackConnections()) {
      AdmissionPolicy policy =
          hello -> hello.name().equals("a") ? "\"a\" is not on the whitelist" : null;
      PeerConnections b = net.open("b", 1, net.tls, policy, atB);
      b.handleCalls("join", (from, in, out) -> out.write(1));
      ClusterException said = sending(net, net.tls, b.address());
      assertThat(said).hasMessage(b.address() + " refused us: \"a\" is not on the whitelist");
      assertThat(said.refused()).isTrue();
      NodeIdentity a = new NodeIdentity("a", 1, net.tls, false);
      assertThatThrownBy(
              () -> CallClient.call(a, b.address(), "join", PATIENCE, (in, out) -> in.read()))
          .hasMessage(b.address() + " refused us: \"a\" is not on the whitelist");
      NodeIdentity c = new NodeIdentity("c", 1, net.tls, false);
      assertThat(CallClient.<Integer>call(c, b.address(), "join", PATIENCE, (in, out) -> in.read()))
          .isEqualTo(1);
      NodeIdentity odd = new NodeIdentity("a b\n", 1, net.tls, false);
      assertThatThrownBy(
              () -> CallClient.call(odd, b.address(), "join", PATIENCE, (in, out) -> in.read()))
          .hasMessageEndingWith("\"a b?\" is no name of a node: 1 to 64 of A-Z a-z 0-9 . _ -");
      assertThat(atB.all).isEmpty();
    }
  }

  @Test
  void aServerThatAcceptsAndDoesNotAnswerIsGivenUp() throws Exception {
    try (LoopbackConnections net =
            new LoopbackConnections(
                ConnectionSettings.DEFAULTS.withHelloTimeout(Duration.ofMillis(300)));
        ServerSocket silent = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
      assertThat(sending(net, net.tls, at(silent)))
          .hasMessage(
              at(silent)
                  + " accepted the connection and did not answer in 300 ms: it is frozen or"
                  + " overloaded, or not a Millrace node");
    }
  }

  @Test
  void anUnknownHostIsNamed() {
    try (LoopbackConnections net = new LoopbackConnections()) {
      assertThat(sending(net, net.tls, new HostPort("no-such-host.invalid", 5000)))
          .hasMessage(
              "no-such-host.invalid:5000: the name of the host is not known; check the address");
    }
  }

  @Test
  void aPortThatIsTakenIsNamed() {
    try (LoopbackConnections net = new LoopbackConnections()) {
      HostPort taken = net.open("a", new RecordingReceiver()).address();
      NodeIdentity b = new NodeIdentity("b", 1, net.tls, false);
      assertThatThrownBy(
              () ->
                  PeerConnections.open(
                      b,
                      taken,
                      ConnectionSettings.DEFAULTS,
                      LoopbackConnections.OPEN,
                      new RecordingReceiver()))
          .isInstanceOf(ClusterException.class)
          .hasMessageStartingWith("cannot listen on " + taken + ": ");
    }
  }

  @Test
  void aThousandGarbageConnectionsNeitherStopNorFillTheListener() throws Exception {
    Random random = new Random(7);
    RecordingReceiver atB = new RecordingReceiver();
    try (LoopbackConnections net =
        new LoopbackConnections(
            ConnectionSettings.DEFAULTS.withHelloTimeout(Duration.ofSeconds(2)))) {
      PeerConnections b = net.open("b", atB);
      PeerConnections a = net.open("a", new RecordingReceiver());
      a.addNode("b", b.address(), 1);
      List<Socket> open = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        Socket socket = new Socket(b.address().host(), b.address().port());
        open.add(socket);
        byte[] garbage = new byte[random.nextInt(200)];
        random.nextBytes(garbage);
        try {
          socket.getOutputStream().write(garbage);
        } catch (IOException e) {
          // It was dropped for one that came later.
        }
        if (i % 3 == 0) {
          socket.close();
        }
        if (i == 500) {
          a.send("b", text("in between"));
        }
      }
      eventually(() -> assertThat(atB.texts).containsExactly("a: in between"));
      eventually(
          () -> assertThat(b.connectionsWithoutLink()).as("none is kept beyond its time").isZero());
      a.send("b", text("after"));
      eventually(() -> assertThat(atB.texts).containsExactly("a: in between", "a: after"));
      assertThat(atB.lost).isEmpty();
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  @Test
  void connectionsWithoutAHelloAreBoundedInNumber() throws Exception {
    try (LoopbackConnections net = new LoopbackConnections()) {
      PeerConnections b = net.open("b", new RecordingReceiver());
      List<Socket> open = new ArrayList<>();
      for (int i = 0; i < ConnectionListener.MAX_WITHOUT_HELLO + 50; i++) {
        open.add(new Socket(b.address().host(), b.address().port()));
      }
      open.getFirst().setSoTimeout(10_000);
      assertThat(open.getFirst().getInputStream().read()).as("the oldest goes").isEqualTo(-1);
      assertThat(b.connectionsWithoutLink())
          .isLessThanOrEqualTo(ConnectionListener.MAX_WITHOUT_HELLO);
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  @Test
  void refusalsAreLoggedOncePerAddress() {
    RefusalLog refusals = new RefusalLog();
    long now = System.nanoTime();
    assertThat(refusals.shouldLog("10.0.0.1", now)).isTrue();
    for (int i = 0; i < 1000; i++) {
      assertThat(refusals.shouldLog("10.0.0.1", now + i)).isFalse();
    }
    int lines = 0;
    for (int i = 0; i < 1000; i++) {
      lines += refusals.shouldLog("10.1.0." + i, now + i) ? 1 : 0;
    }
    assertThat(lines).isEqualTo(9);
    assertThat(refusals.shouldLog("10.0.0.1", now + Duration.ofMinutes(11).toNanos())).isTrue();
  }
}
