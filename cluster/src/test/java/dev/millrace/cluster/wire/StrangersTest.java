package dev.millrace.cluster.wire;

import static dev.millrace.cluster.wire.Net.eventually;
import static dev.millrace.cluster.wire.Net.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.ClusterException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Those who have no key, another key, another version, or are no nodes at all. */
@Timeout(90)
final class StrangersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final ChainCheck TRUSTING = new ChainCheck((chain, ofClient) -> {});

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
  private static ClusterException sending(Net net, SSLContext tls, HostPort to) {
    Switchboard a = net.open("a", 1, tls, Net.OPEN, new Heard());
    a.know("b", to, 1);
    try {
      a.send("b", text("secret payload"));
    } catch (ClusterException e) {
      return e;
    }
    throw new AssertionError("it was sent");
  }

  @Test
  void anotherKeyIsRefusedAndTellsNothing() {
    Heard atB = new Heard();
    try (Net net = new Net()) {
      Switchboard b = net.open("secretname", 1, net.tls, Net.OPEN, atB);
      ClusterException said = sending(net, NetworkKey.generate().tls(), b.address());
      assertThat(said)
          .hasMessage(
              b.address()
                  + " has another network key (or certificate): we did not go on; use the key file"
                  + " that \"millrace keygen\" wrote for that network");
      assertThat(said.refused()).isTrue();
      assertThat(said.toString()).doesNotContain("secretname");
      assertThat(atB.all).isEmpty();
    }
  }

  @Test
  void whoTrustsAnybodyButHasAnotherKeyIsToldThatItWasRefused() {
    Heard atB = new Heard();
    KeyCertificate other = KeyCertificate.of(new byte[NetworkKey.BYTES]);
    OneKey key = new OneKey(other.key(), new X509Certificate[] {other.certificate()});
    try (Net net = new Net()) {
      Switchboard b = net.open("secretname", 1, net.tls, Net.OPEN, atB);
      for (int i = 0; i < 20; i++) {
        ClusterException said = sending(net, Tls.context(key, TRUSTING), b.address());
        assertThat(said)
            .hasMessage(
                b.address()
                    + " has another network key (or certificate): it refused us; use the key file"
                    + " that \"millrace keygen\" wrote for that network");
        assertThat(said.refused()).isTrue();
      }
      assertThat(atB.all).isEmpty();
    }
  }

  @Test
  void whoShowsNoCertificateReadsNothing() throws Exception {
    Heard atB = new Heard();
    SSLContext bare = SSLContext.getInstance("TLSv1.3");
    bare.init(null, new TrustManager[] {TRUSTING}, null);
    try (Net net = new Net()) {
      Switchboard b = net.open("b", atB);
      assertThat(sending(net, bare, b.address()))
          .hasMessageContaining("has another network key (or certificate): it refused us");
      try (Socket plain = new Socket(b.address().host(), b.address().port())) {
        SSLSocket socket = Tls.over(plain, bare, true);
        socket.startHandshake();
        InputStream in = socket.getInputStream();
        assertThatThrownBy(in::read).isInstanceOf(SSLException.class);
      }
      assertThat(atB.all).isEmpty();
    }
  }

  @Test
  void plainHttpToOurPortIsTurnedAway() throws Exception {
    Heard atB = new Heard();
    try (Net net = new Net()) {
      Switchboard b = net.open("secretname", 1, net.tls, Net.OPEN, atB);
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
    try (Net net = new Net();
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
                  + " does not speak TLS: it is no node of Millrace; give the address that a node"
                  + " listens on");
    }
  }

  @Test
  void anotherVersionIsNamedOnTheDialledSide() throws Exception {
    try (Net net = new Net();
        ServerSocket newer =
            serving(
                socket -> {
                  Connection connection = Connection.over(socket, net.tls, false);
                  connection.shakeHands();
                  Greeting.writePreamble(connection.out(), 2);
                  assertThat(Greeting.readPreamble(connection.in())).isEqualTo(1);
                  connection.leave();
                })) {
      ClusterException said = sending(net, net.tls, at(newer));
      assertThat(said)
          .hasMessage(
              at(newer)
                  + " speaks version 2, we speak 1: run the same release of Millrace on all nodes");
      assertThat(said.refused()).isTrue();
    }
  }

  @Test
  void aDiallerOfAnotherVersionOnlyLearnsOurs() throws Exception {
    Heard atB = new Heard();
    try (Net net = new Net()) {
      Switchboard b = net.open("secretname", 1, net.tls, Net.OPEN, atB);
      try (Socket plain = new Socket(b.address().host(), b.address().port())) {
        Connection connection = Connection.over(plain, net.tls, true);
        connection.shakeHands();
        Greeting.writePreamble(connection.out(), 2);
        assertThat(Greeting.readPreamble(connection.in())).isEqualTo(Protocol.VERSION);
        assertThat(plain.getInputStream().readAllBytes().length).isLessThan(100);
      }
      assertThat(atB.all).isEmpty();
    }
  }

  @Test
  void tlsThatIsNoNodeIsNamed() throws Exception {
    try (Net net = new Net();
        ServerSocket other =
            serving(
                socket -> {
                  Connection connection = Connection.over(socket, net.tls, false);
                  connection.shakeHands();
                  connection.out().write("220 mail ready\r\n".getBytes(StandardCharsets.US_ASCII));
                  connection.leave();
                })) {
      assertThat(sending(net, net.tls, at(other)))
          .hasMessage(
              at(other)
                  + ": it speaks TLS and is no node of Millrace; give the address that a node"
                  + " listens on");
    }
  }

  @Test
  void theDoormansWordsReachTheOneWhoIsRefused() {
    Heard atB = new Heard();
    try (Net net = new Net()) {
      Doorman doorman = hello -> hello.name().equals("a") ? "\"a\" is not on the whitelist" : null;
      Switchboard b = net.open("b", 1, net.tls, doorman, atB);
      b.answer("join", (from, in, out) -> out.write(1));
      ClusterException said = sending(net, net.tls, b.address());
      assertThat(said).hasMessage(b.address() + " refused us: \"a\" is not on the whitelist");
      assertThat(said.refused()).isTrue();
      Identity a = new Identity("a", 1, net.tls, false);
      assertThatThrownBy(() -> Calls.call(a, b.address(), "join", PATIENCE, (in, out) -> in.read()))
          .hasMessage(b.address() + " refused us: \"a\" is not on the whitelist");
      Identity c = new Identity("c", 1, net.tls, false);
      assertThat(Calls.<Integer>call(c, b.address(), "join", PATIENCE, (in, out) -> in.read()))
          .isEqualTo(1);
      Identity odd = new Identity("a b\n", 1, net.tls, false);
      assertThatThrownBy(
              () -> Calls.call(odd, b.address(), "join", PATIENCE, (in, out) -> in.read()))
          .hasMessageEndingWith("\"a b?\" is no name of a node: 1 to 64 of A-Z a-z 0-9 . _ -");
      assertThat(atB.all).isEmpty();
    }
  }

  @Test
  void whoTakesTheConnectionAndIsSilentIsGivenUp() throws Exception {
    try (Net net = new Net(WireSettings.DEFAULTS.withGreeting(Duration.ofMillis(300)));
        ServerSocket silent = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
      assertThat(sending(net, net.tls, at(silent)))
          .hasMessage(
              at(silent)
                  + " took the connection and did not answer in 300 ms: it is frozen or"
                  + " overloaded, or no node of Millrace");
    }
  }

  @Test
  void anUnknownHostIsNamed() {
    try (Net net = new Net()) {
      assertThat(sending(net, net.tls, new HostPort("no-such-host.invalid", 5000)))
          .hasMessage(
              "no-such-host.invalid:5000: the name of the host is not known; check the address");
    }
  }

  @Test
  void aPortThatIsTakenIsNamed() {
    try (Net net = new Net()) {
      HostPort taken = net.open("a", new Heard()).address();
      Identity b = new Identity("b", 1, net.tls, false);
      assertThatThrownBy(
              () -> Switchboard.open(b, taken, WireSettings.DEFAULTS, Net.OPEN, new Heard()))
          .isInstanceOf(ClusterException.class)
          .hasMessageStartingWith("cannot listen on " + taken + ": ");
    }
  }

  @Test
  void aThousandGarbageConnectionsNeitherStopNorFillTheListener() throws Exception {
    Random random = new Random(7);
    Heard atB = new Heard();
    try (Net net = new Net(WireSettings.DEFAULTS.withGreeting(Duration.ofSeconds(2)))) {
      Switchboard b = net.open("b", atB);
      Switchboard a = net.open("a", new Heard());
      a.know("b", b.address(), 1);
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
      eventually(() -> assertThat(b.guests()).as("none is kept beyond its time").isZero());
      a.send("b", text("after"));
      eventually(() -> assertThat(atB.texts).containsExactly("a: in between", "a: after"));
      assertThat(atB.lost).isEmpty();
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  @Test
  void thoseWhoDoNotGreetAreBoundedInNumber() throws Exception {
    try (Net net = new Net()) {
      Switchboard b = net.open("b", new Heard());
      List<Socket> open = new ArrayList<>();
      for (int i = 0; i < Listener.UNGREETED + 50; i++) {
        open.add(new Socket(b.address().host(), b.address().port()));
      }
      open.getFirst().setSoTimeout(10_000);
      assertThat(open.getFirst().getInputStream().read()).as("the oldest goes").isEqualTo(-1);
      assertThat(b.guests()).isLessThanOrEqualTo(Listener.UNGREETED);
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  @Test
  void strangersGetALineForEachAddressAndNotMore() {
    Refusals refusals = new Refusals();
    long now = System.nanoTime();
    assertThat(refusals.worthALine("10.0.0.1", now)).isTrue();
    for (int i = 0; i < 1000; i++) {
      assertThat(refusals.worthALine("10.0.0.1", now + i)).isFalse();
    }
    int lines = 0;
    for (int i = 0; i < 1000; i++) {
      lines += refusals.worthALine("10.1.0." + i, now + i) ? 1 : 0;
    }
    assertThat(lines).isEqualTo(9);
    assertThat(refusals.worthALine("10.0.0.1", now + Duration.ofMinutes(11).toNanos())).isTrue();
  }
}
