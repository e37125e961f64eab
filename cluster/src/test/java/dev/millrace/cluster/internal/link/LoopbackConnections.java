package dev.millrace.cluster.internal.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NetworkKey;
import dev.millrace.cluster.internal.connection.AdmissionPolicy;
import dev.millrace.cluster.internal.connection.ConnectionSettings;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;

/** Connections of nodes on loopback, closed together; after that none of their threads is left. */
final class LoopbackConnections implements AutoCloseable {
  static final HostPort LOOPBACK = new HostPort("127.0.0.1", 0);
  static final AdmissionPolicy OPEN = hello -> null;

  final SSLContext tls = NetworkKey.generate().tls();
  final ConnectionSettings settings;
  private final List<Runnable> open = new ArrayList<>();

  LoopbackConnections() {
    this(ConnectionSettings.DEFAULTS);
  }

  LoopbackConnections(ConnectionSettings settings) {
    this.settings = settings;
  }

  PeerConnections open(String name, MessageReceiver receiver) {
    return open(name, 1, tls, OPEN, receiver);
  }

  PeerConnections open(
      String name,
      long incarnation,
      SSLContext tls,
      AdmissionPolicy policy,
      MessageReceiver receiver) {
    return open(new NodeIdentity(name, incarnation, tls, false), policy, receiver);
  }

  PeerConnections open(NodeIdentity identity, AdmissionPolicy policy, MessageReceiver receiver) {
    PeerConnections connections =
        PeerConnections.open(identity, LOOPBACK, settings, policy, receiver);
    open.add(connections::close);
    return connections;
  }

  /** Nodes a and b, which know each other. */
  record LinkedPair(
      PeerConnections a, PeerConnections b, RecordingReceiver atA, RecordingReceiver atB) {}

  LinkedPair pair() {
    RecordingReceiver atA = new RecordingReceiver();
    RecordingReceiver atB = new RecordingReceiver();
    PeerConnections a = open("a", atA);
    PeerConnections b = open("b", atB);
    a.addNode("b", b.address(), 1);
    b.addNode("a", a.address(), 1);
    return new LinkedPair(a, b, atA, atB);
  }

  static NodeMessage text(String text) {
    return new NodeMessage(
        NodeMessage.Kind.FRAME, 7, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  static void eventually(Runnable holds) {
    await().atMost(Duration.ofSeconds(60)).pollDelay(Duration.ZERO).untilAsserted(holds::run);
  }

  @Override
  public void close() {
    open.reversed().forEach(Runnable::run);
    eventually(
        () ->
            assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.matches("millrace-(accept|link)-.*")));
  }
}
