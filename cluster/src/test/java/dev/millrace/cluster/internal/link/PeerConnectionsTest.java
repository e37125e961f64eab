package dev.millrace.cluster.internal.link;

import static dev.millrace.cluster.internal.link.LoopbackConnections.eventually;
import static dev.millrace.cluster.internal.link.LoopbackConnections.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ClusterProtocol;
import dev.millrace.cluster.internal.connection.ConnectionSettings;
import dev.millrace.cluster.internal.link.LoopbackConnections.LinkedPair;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages over links, lost links, and nodes that restart. */
@Timeout(60)
final class PeerConnectionsTest {
  @Test
  void messagesGoBothWaysInOrder() throws Exception {
    try (LoopbackConnections net = new LoopbackConnections()) {
      LinkedPair pair = net.pair();
      PeerConnections a = pair.a();
      PeerConnections b = pair.b();
      for (int i = 0; i < 200; i++) {
        a.send("b", text("to b " + i));
        b.send("a", text("to a " + i));
      }
      eventually(() -> assertThat(pair.atB().texts).hasSize(200));
      eventually(() -> assertThat(pair.atA().texts).hasSize(200));
      assertThat(pair.atB().texts)
          .isEqualTo(IntStream.range(0, 200).mapToObj(i -> "a: to b " + i).toList());
      assertThat(pair.atA().texts)
          .isEqualTo(IntStream.range(0, 200).mapToObj(i -> "b: to a " + i).toList());
      assertThat(pair.atA().lost).isEmpty();
    }
  }

  @Test
  void bodiesOfAllSizesArriveAsTheyWere() throws Exception {
    int[] sizes = {0, 1, 16_370, 16_371, 16_372, 16_384, 32_768, 100_000, 5 << 20};
    Random random = new Random(1);
    List<ByteBuffer> sent = new ArrayList<>();
    for (int size : sizes) {
      byte[] bytes = new byte[size + 3];
      random.nextBytes(bytes);
      sent.add(ByteBuffer.wrap(bytes, 3, size).slice());
      sent.add(ByteBuffer.allocateDirect(size).put(bytes, 0, size).flip());
    }
    try (LoopbackConnections net = new LoopbackConnections()) {
      LinkedPair pair = net.pair();
      List<NodeMessage> got = pair.atB().messages;
      for (int i = 0; i < sent.size(); i++) {
        pair.a().send("b", new NodeMessage(NodeMessage.Kind.FRAME, i - 3L, sent.get(i)));
      }
      eventually(() -> assertThat(got).hasSize(sent.size()));
      int i = 0;
      for (NodeMessage message : got) {
        assertThat(message.session()).isEqualTo(i - 3L);
        assertThat(message.body()).as("message %d", i).isEqualTo(sent.get(i++));
      }
    }
  }

  @Test
  void aMessageTooLongAndAnUnknownNodeAreRefusedHere() throws Exception {
    try (LoopbackConnections net = new LoopbackConnections()) {
      PeerConnections a = net.open("a", new RecordingReceiver());
      assertThatThrownBy(() -> a.send("nobody", text("x")))
          .isInstanceOf(ClusterException.class)
          .hasMessage("node \"nobody\" is not known in this network");
      NodeMessage huge =
          new NodeMessage(
              NodeMessage.Kind.FRAME, 1, ByteBuffer.allocate(ClusterProtocol.MAX_BODY + 1));
      assertThatThrownBy(() -> a.send("nobody", huge))
          .hasMessage("a message of 67108865 bytes to nobody: at most 67108864 can be sent");
    }
  }

  @Test
  void aNodeThatClosesIsLostOnceAndTheNextSendReachesTheRestartedNode() throws Exception {
    try (LoopbackConnections net = new LoopbackConnections()) {
      LinkedPair pair = net.pair();
      PeerConnections a = pair.a();
      PeerConnections b = pair.b();
      a.send("b", text("one"));
      b.send("a", text("two"));
      eventually(() -> assertThat(pair.atB().texts).containsExactly("a: one"));
      eventually(() -> assertThat(pair.atA().texts).containsExactly("b: two"));
      b.close();
      eventually(() -> assertThat(pair.atA().lost).containsExactly("b: it said: it is closing"));
      assertThat(pair.atB().lost).as("who closes is told nothing").isEmpty();
      assertThatThrownBy(() -> a.send("b", text("gone")))
          .hasMessage(
              b.address() + ": nothing listens there; check the address and that the node runs");

      RecordingReceiver again = new RecordingReceiver();
      PeerConnections next = net.open("b", 2, net.tls, LoopbackConnections.OPEN, again);
      a.addNode("b", next.address(), 2);
      a.send("b", text("three"));
      eventually(() -> assertThat(again.texts).containsExactly("a: three"));
      assertThat(pair.atA().lost).hasSize(1);
    }
  }

  @Test
  void disconnectingTellsBothSidesOnceAndTheNextSendConnectsAgain() throws Exception {
    try (LoopbackConnections net = new LoopbackConnections()) {
      LinkedPair pair = net.pair();
      PeerConnections a = pair.a();
      PeerConnections b = pair.b();
      for (int round = 1; round <= 5; round++) {
        int rounds = round;
        a.send("b", text("hello"));
        b.send("a", text("hello"));
        eventually(() -> assertThat(pair.atA().texts).hasSize(rounds));
        eventually(() -> assertThat(pair.atB().texts).hasSize(rounds));
        a.disconnect("b", "too slow");
        eventually(() -> assertThat(pair.atA().lost).hasSize(rounds));
        eventually(() -> assertThat(pair.atB().lost).hasSize(rounds));
      }
      assertThat(pair.atA().lost).containsOnly("b: too slow");
      assertThat(pair.atB().lost).containsOnly("a: it said: too slow");
      assertThat(pair.atA().all).filteredOn(x -> x.equals("lost b")).hasSize(5);
    }
  }

  @Test
  void anotherNodeAtTheAddressIsNotTakenForIt() throws Exception {
    try (LoopbackConnections net = new LoopbackConnections()) {
      RecordingReceiver atC = new RecordingReceiver();
      PeerConnections a = net.open("a", new RecordingReceiver());
      PeerConnections c = net.open("c", atC);
      a.addNode("b", c.address(), 1);
      assertThatThrownBy(() -> a.send("b", text("for b only")))
          .isInstanceOf(ClusterException.class)
          .hasMessageContaining("expected node \"b\", but found \"c\"");
      assertThat(atC.texts).isEmpty();
    }
  }

  @Test
  void aNodeThatTheNetworkForgetsKeepsItsLinksUntilTheyBreak() throws Exception {
    try (LoopbackConnections net = new LoopbackConnections()) {
      LinkedPair pair = net.pair();
      PeerConnections a = pair.a();
      PeerConnections b = pair.b();
      a.send("b", text("one"));
      eventually(() -> assertThat(pair.atB().texts).containsExactly("a: one"));
      Link link = a.link("b");
      a.removeNode("b");
      b.removeNode("a");
      a.send("b", text("two"));
      b.send("a", text("back"));
      eventually(() -> assertThat(pair.atB().texts).containsExactly("a: one", "a: two"));
      eventually(() -> assertThat(pair.atA().texts).containsExactly("b: back"));
      a.addNode("b", b.address(), 1);
      assertThat(a.link("b")).isSameAs(link);
      assertThat(pair.atA().lost).isEmpty();

      a.removeNode("b");
      a.disconnect("b", "enough");
      eventually(() -> assertThat(a.knownNodes()).isEmpty());
      eventually(() -> assertThat(b.knownNodes()).isEmpty());
      assertThatThrownBy(() -> a.send("b", text("three")))
          .hasMessage("node \"b\" is not known in this network");
    }
  }

  @Test
  void anEarlierIncarnationIsRefusedAndALaterOneIsNot() throws Exception {
    try (LoopbackConnections net = new LoopbackConnections()) {
      RecordingReceiver atA = new RecordingReceiver();
      PeerConnections a = net.open("a", atA);
      PeerConnections woken =
          net.open("b", 4, net.tls, LoopbackConnections.OPEN, new RecordingReceiver());
      PeerConnections known =
          net.open("b", 5, net.tls, LoopbackConnections.OPEN, new RecordingReceiver());
      PeerConnections next =
          net.open("b", 6, net.tls, LoopbackConnections.OPEN, new RecordingReceiver());
      for (PeerConnections b : List.of(woken, known, next)) {
        b.addNode("a", a.address(), 1);
      }
      a.addNode("b", known.address(), 5);
      known.send("a", text("I am"));
      eventually(() -> assertThat(atA.texts).containsExactly("b: I am"));
      assertThatThrownBy(() -> woken.send("a", text("it is me")))
          .hasMessageEndingWith("a newer node has the name \"b\": give this one another name")
          .extracting(e -> ((ClusterException) e).refused())
          .isEqualTo(true);
      assertThat(atA.lost).isEmpty();
      next.send("a", text("I am now"));
      eventually(() -> assertThat(atA.all).endsWith("lost b", "b: I am now"));
    }
  }

  @Test
  void linksAreTakenFromSoManyNodesOnly() throws Exception {
    try (LoopbackConnections net =
        new LoopbackConnections(ConnectionSettings.DEFAULTS.withMaxLinks(2))) {
      RecordingReceiver receiver = new RecordingReceiver();
      PeerConnections a = net.open("a", receiver);
      List<PeerConnections> others = new ArrayList<>();
      for (String name : List.of("b", "c", "d")) {
        PeerConnections other = net.open(name, new RecordingReceiver());
        other.addNode("a", a.address(), 1);
        others.add(other);
      }
      others.get(0).send("a", text("b"));
      others.get(1).send("a", text("c"));
      eventually(() -> assertThat(receiver.texts).hasSize(2));
      assertThatThrownBy(() -> others.get(2).send("a", text("d")))
          .hasMessageContaining("2 nodes are linked with this one");
      others.get(0).close();
      eventually(() -> assertThat(a.knownNodes()).containsExactly("c"));
      others.get(2).send("a", text("d"));
      eventually(() -> assertThat(receiver.texts).hasSize(3));
    }
  }

  @Test
  void textsOfOtherNodesAreCutAndCannotSteerATerminal() throws Exception {
    try (LoopbackConnections net = new LoopbackConnections()) {
      RecordingReceiver atA = new RecordingReceiver();
      PeerConnections a = net.open("a", atA);
      PeerConnections b =
          net.open(
              "b", 1, net.tls, hello -> "no\n\u001b[2J" + "x".repeat(900), new RecordingReceiver());
      a.addNode("b", b.address(), 1);
      b.addNode("a", a.address(), 1);
      assertThatThrownBy(() -> a.send("b", text("hello")))
          .hasMessage(b.address() + " refused us: no??[2J" + "x".repeat(293) + "…");
      b.send("a", text("hello"));
      eventually(() -> assertThat(atA.texts).hasSize(1));
      b.disconnect("a", "bye\r\u009b" + "ü".repeat(1 << 20));
      eventually(
          () -> assertThat(atA.lost).containsExactly("b: it said: bye??" + "ü".repeat(295) + "…"));
    }
  }
}
