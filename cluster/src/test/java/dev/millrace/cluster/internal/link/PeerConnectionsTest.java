package dev.millrace.cluster.internal.link;

import static dev.millrace.cluster.internal.link.LoopbackConnections.eventually;
import static dev.millrace.cluster.internal.link.LoopbackConnections.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ClusterProtocol;
import dev.millrace.cluster.internal.connection.CallClient;
import dev.millrace.cluster.internal.connection.ConnectionSettings;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class PeerConnectionsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  @Test
  void messagesGoBothWaysInOrder() throws Exception {
    try (LoopbackConnections net = new LoopbackConnections()) {
      RecordingReceiver atA = new RecordingReceiver();
      RecordingReceiver atB = new RecordingReceiver();
      PeerConnections a = net.open("a", atA);
      PeerConnections b = net.open("b", atB);
      a.addNode("b", b.address(), 1);
      b.addNode("a", a.address(), 1);
      for (int i = 0; i < 200; i++) {
        a.send("b", text("to b " + i));
        b.send("a", text("to a " + i));
      }
      eventually(() -> assertThat(atB.texts).hasSize(200));
      eventually(() -> assertThat(atA.texts).hasSize(200));
      assertThat(atB.texts)
          .isEqualTo(IntStream.range(0, 200).mapToObj(i -> "a: to b " + i).toList());
      assertThat(atA.texts)
          .isEqualTo(IntStream.range(0, 200).mapToObj(i -> "b: to a " + i).toList());
      assertThat(atA.lost).isEmpty();
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
    ConcurrentLinkedQueue<NodeMessage> got = new ConcurrentLinkedQueue<>();
    try (LoopbackConnections net = new LoopbackConnections()) {
      PeerConnections a = net.open("a", new RecordingReceiver());
      PeerConnections b = net.open("b", collecting(got));
      a.addNode("b", b.address(), 1);
      for (int i = 0; i < sent.size(); i++) {
        a.send("b", new NodeMessage(NodeMessage.Kind.FRAME, i - 3L, sent.get(i)));
      }
      eventually(() -> assertThat(got).hasSize(sent.size()));
      int i = 0;
      for (NodeMessage message : got) {
        assertThat(message.session()).isEqualTo(i - 3L);
        assertThat(message.body()).as("message %d", i).isEqualTo(sent.get(i++));
      }
    }
  }

  private static MessageReceiver collecting(ConcurrentLinkedQueue<NodeMessage> got) {
    return new MessageReceiver() {
      @Override
      public void received(String from, NodeMessage message) {
        got.add(message);
      }

      @Override
      public void lost(String node, String why) {}
    };
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
  void aNodeThatClosesIsLostOnceAndTheNextSendReachesItsNextLife() throws Exception {
    try (LoopbackConnections net = new LoopbackConnections()) {
      RecordingReceiver atA = new RecordingReceiver();
      RecordingReceiver atB = new RecordingReceiver();
      PeerConnections a = net.open("a", atA);
      PeerConnections b = net.open("b", atB);
      a.addNode("b", b.address(), 1);
      b.addNode("a", a.address(), 1);
      a.send("b", text("one"));
      b.send("a", text("two"));
      eventually(() -> assertThat(atB.texts).containsExactly("a: one"));
      eventually(() -> assertThat(atA.texts).containsExactly("b: two"));
      b.close();
      eventually(() -> assertThat(atA.lost).containsExactly("b: it said: it is closing"));
      assertThat(atB.lost).as("who closes is told nothing").isEmpty();
      assertThatThrownBy(() -> a.send("b", text("gone")))
          .hasMessage(
              b.address() + ": nothing listens there; check the address and that the node runs");

      RecordingReceiver again = new RecordingReceiver();
      PeerConnections next = net.open("b", 2, net.tls, LoopbackConnections.OPEN, again);
      a.addNode("b", next.address(), 2);
      a.send("b", text("three"));
      eventually(() -> assertThat(again.texts).containsExactly("a: three"));
      assertThat(atA.lost).hasSize(1);
    }
  }

  @Test
  void hangingUpTellsBothSidesOnceAndTheNextSendConnectsAnew() throws Exception {
    try (LoopbackConnections net = new LoopbackConnections()) {
      RecordingReceiver atA = new RecordingReceiver();
      RecordingReceiver atB = new RecordingReceiver();
      PeerConnections a = net.open("a", atA);
      PeerConnections b = net.open("b", atB);
      a.addNode("b", b.address(), 1);
      b.addNode("a", a.address(), 1);
      for (int round = 1; round <= 5; round++) {
        int rounds = round;
        a.send("b", text("hello"));
        b.send("a", text("hello"));
        eventually(() -> assertThat(atA.texts).hasSize(rounds));
        eventually(() -> assertThat(atB.texts).hasSize(rounds));
        a.disconnect("b", "too slow");
        eventually(() -> assertThat(atA.lost).hasSize(rounds));
        eventually(() -> assertThat(atB.lost).hasSize(rounds));
      }
      assertThat(atA.lost).containsOnly("b: too slow");
      assertThat(atB.lost).containsOnly("a: it said: too slow");
      assertThat(atA.all).filteredOn(x -> x.equals("lost b")).hasSize(5);
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
          .hasMessageContaining("that is not node \"b\" as it is known, but \"c\"");
      assertThat(atC.texts).isEmpty();
    }
  }

  @Test
  void aSlowReaderMakesSendersWaitAndNothingIsLost() throws Exception {
    int size = 1 << 20;
    CountDownLatch go = new CountDownLatch(1);
    ConcurrentLinkedQueue<Long> got = new ConcurrentLinkedQueue<>();
    MessageReceiver slow =
        new MessageReceiver() {
          @Override
          public void received(String from, NodeMessage message) {
            try {
              go.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
            got.add(message.session());
          }

          @Override
          public void lost(String node, String why) {}
        };
    try (LoopbackConnections net =
        new LoopbackConnections(
            ConnectionSettings.DEFAULTS
                .withQueueBytes(4L << 20)
                .withLinkTimeout(Duration.ofMinutes(1)))) {
      PeerConnections a = net.open("a", new RecordingReceiver());
      PeerConnections b = net.open("b", slow);
      a.addNode("b", b.address(), 1);
      ConcurrentLinkedQueue<Long> sent = new ConcurrentLinkedQueue<>();
      Thread sender =
          Thread.ofVirtual()
              .start(
                  () -> {
                    for (long i = 0; i < 64; i++) {
                      a.send(
                          "b",
                          new NodeMessage(NodeMessage.Kind.FRAME, i, ByteBuffer.allocate(size)));
                      sent.add(i);
                    }
                  });
      eventually(() -> assertThat(sender.getState()).isEqualTo(Thread.State.WAITING));
      assertThat(sent.size()).as("sent while nobody reads").isLessThan(64);
      go.countDown();
      assertThat(sender.join(Duration.ofSeconds(60))).isTrue();
      eventually(() -> assertThat(got).hasSize(64));
      assertThat(List.copyOf(got)).isEqualTo(List.copyOf(sent)).isSorted();
    }
  }

  @Test
  void aPeerThatPingsAndDoesNotReadIsLost() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    MessageReceiver stuck =
        new MessageReceiver() {
          @Override
          public void received(String from, NodeMessage message) {
            try {
              go.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }

          @Override
          public void lost(String node, String why) {}
        };
    try (LoopbackConnections net =
        new LoopbackConnections(
            ConnectionSettings.DEFAULTS
                .withQueueBytes(1L << 20)
                .withLinkTimeout(Duration.ofSeconds(2)))) {
      RecordingReceiver heard = new RecordingReceiver();
      PeerConnections a = net.open("a", heard);
      PeerConnections b = net.open("b", stuck);
      a.addNode("b", b.address(), 1);
      a.connect("b");
      assertThatThrownBy(
              () -> {
                while (true) {
                  a.sendOnOpenLink(
                      "b",
                      new NodeMessage(NodeMessage.Kind.FRAME, 1, ByteBuffer.allocate(1 << 20)));
                }
              })
          .isInstanceOf(ClusterException.class);
      eventually(() -> assertThat(heard.lost).containsExactly("b: it has taken nothing for 4 s"));
      assertThatThrownBy(() -> a.sendOnOpenLink("b", text("x")))
          .hasMessage("there is no link to node \"b\" any more");
      go.countDown();
    }
  }

  @Test
  void whoWaitsForRoomIsFreedWhenTheLinkEnds() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    MessageReceiver stuck =
        new MessageReceiver() {
          @Override
          public void received(String from, NodeMessage message) {
            try {
              go.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }

          @Override
          public void lost(String node, String why) {}
        };
    try (LoopbackConnections net =
        new LoopbackConnections(ConnectionSettings.DEFAULTS.withQueueBytes(1L << 20))) {
      PeerConnections a = net.open("a", new RecordingReceiver());
      PeerConnections b = net.open("b", stuck);
      a.addNode("b", b.address(), 1);
      try {
        Thread hanging =
            Thread.ofVirtual()
                .start(
                    () ->
                        assertThatThrownBy(
                                () -> {
                                  while (true) {
                                    a.send(
                                        "b",
                                        new NodeMessage(
                                            NodeMessage.Kind.FRAME,
                                            1,
                                            ByteBuffer.allocate(1 << 20)));
                                  }
                                })
                            .isInstanceOf(ClusterException.class));
        eventually(() -> assertThat(hanging.getState()).isEqualTo(Thread.State.WAITING));
        a.removeNode("b");
        a.disconnect("b", "enough");
        assertThat(hanging.join(Duration.ofSeconds(60))).isTrue();
        assertThatThrownBy(() -> a.send("b", text("x")))
            .hasMessage("node \"b\" is not known in this network");
      } finally {
        go.countDown();
      }
    }
  }

  @Test
  void callsAreAnsweredWithoutAFlush() throws Exception {
    try (LoopbackConnections net = new LoopbackConnections()) {
      PeerConnections a = net.open("a", new RecordingReceiver());
      PeerConnections b = net.open("b", new RecordingReceiver());
      b.handleCalls(
          "double",
          (from, in, out) -> {
            out.writeUTF(from);
            for (int n; (n = in.readInt()) >= 0; ) {
              out.writeInt(2 * n);
            }
            out.write(new byte[1 << 20]);
          });
      String heard =
          a.call(
              b.address(),
              "double",
              PATIENCE,
              (in, out) -> {
                String name = in.readUTF();
                for (int i = 0; i < 10; i++) {
                  out.writeInt(i);
                  assertThat(in.readInt()).isEqualTo(2 * i);
                }
                out.writeInt(-1);
                assertThat(in.readNBytes(1 << 20)).hasSize(1 << 20);
                assertThat(in.read()).isEqualTo(-1);
                return name;
              });
      assertThat(heard).isEqualTo("a");
    }
  }

  @Test
  void aCallThatBreaksOffOrStandsStillSaysSo() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    try (LoopbackConnections net = new LoopbackConnections()) {
      PeerConnections a = net.open("a", new RecordingReceiver());
      PeerConnections b = net.open("b", new RecordingReceiver());
      b.handleCalls(
          "broken",
          (from, in, out) -> {
            throw new IOException("full");
          });
      b.handleCalls(
          "still",
          (from, in, out) -> {
            try {
              go.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
          });
      assertThatThrownBy(() -> a.call(b.address(), "broken", PATIENCE, (in, out) -> in.readInt()))
          .hasMessage(b.address() + " broke off the call \"broken\"");
      Duration short_ = Duration.ofMillis(300);
      assertThatThrownBy(() -> a.call(b.address(), "still", short_, (in, out) -> in.readInt()))
          .hasMessage(b.address() + " did not go on with the call \"still\" for 300 ms");
      assertThatThrownBy(
              () ->
                  a.call(
                      b.address(),
                      "still",
                      short_,
                      (in, out) -> {
                        out.write(new byte[64 << 20]);
                        return 1;
                      }))
          .hasMessageStartingWith("the call \"still\" to " + b.address());
      assertThatThrownBy(() -> a.call(b.address(), "none", PATIENCE, (in, out) -> 1))
          .hasMessage(b.address() + " refused us: nobody answers the call \"none\" here (yet)")
          .extracting(e -> ((ClusterException) e).refused())
          .isEqualTo(false);
      go.countDown();
    }
  }

  @Test
  void aCommandWithoutANameMayAskForTheStateOnly() throws Exception {
    try (LoopbackConnections net = new LoopbackConnections()) {
      PeerConnections b =
          net.open("b", 1, net.tls, hello -> "the doorman is not asked", new RecordingReceiver());
      b.handleCalls("state", (from, in, out) -> out.writeUTF("<" + from + ">"));
      b.handleCalls("model", (from, in, out) -> out.writeUTF("secret"));
      NodeIdentity command = NodeIdentity.command(net.tls, false);
      assertThat(
              CallClient.<String>call(
                  command, b.address(), "state", PATIENCE, (in, out) -> in.readUTF()))
          .isEqualTo("<>");
      assertThatThrownBy(
              () ->
                  CallClient.call(
                      command, b.address(), "model", PATIENCE, (in, out) -> in.readUTF()))
          .hasMessage(
              b.address() + " refused us: a name is needed for anything but the call \"state\"");
    }
  }

  @Test
  void onlySoManyCallsAreAnsweredAtOnce() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    ConnectionSettings two =
        new ConnectionSettings(PATIENCE, PATIENCE, 1 << 20, 8, 2, PATIENCE, null);
    try (LoopbackConnections net = new LoopbackConnections(two)) {
      PeerConnections a = net.open("a", new RecordingReceiver());
      PeerConnections b = net.open("b", new RecordingReceiver());
      CountDownLatch begun = new CountDownLatch(2);
      b.handleCalls(
          "wait",
          (from, in, out) -> {
            begun.countDown();
            try {
              go.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
            out.write(1);
          });
      List<Thread> calling = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        calling.add(
            Thread.ofVirtual()
                .start(() -> a.call(b.address(), "wait", PATIENCE, (in, out) -> in.read())));
      }
      begun.await();
      assertThatThrownBy(() -> a.call(b.address(), "wait", PATIENCE, (in, out) -> in.read()))
          .hasMessageContaining("2 calls are answered here at the same time");
      go.countDown();
      for (Thread thread : calling) {
        thread.join();
      }
      eventually(
          () ->
              assertThat(a.<Integer>call(b.address(), "wait", PATIENCE, (in, out) -> in.read()))
                  .isEqualTo(1));
    }
  }

  @Test
  void aNodeThatTheNetworkForgetsKeepsItsLinksUntilTheyBreak() throws Exception {
    try (LoopbackConnections net = new LoopbackConnections()) {
      RecordingReceiver atA = new RecordingReceiver();
      RecordingReceiver atB = new RecordingReceiver();
      PeerConnections a = net.open("a", atA);
      PeerConnections b = net.open("b", atB);
      a.addNode("b", b.address(), 1);
      b.addNode("a", a.address(), 1);
      a.send("b", text("one"));
      eventually(() -> assertThat(atB.texts).containsExactly("a: one"));
      Link link = a.link("b");
      a.removeNode("b");
      b.removeNode("a");
      a.send("b", text("two"));
      b.send("a", text("back"));
      eventually(() -> assertThat(atB.texts).containsExactly("a: one", "a: two"));
      eventually(() -> assertThat(atA.texts).containsExactly("b: back"));
      a.addNode("b", b.address(), 1);
      assertThat(a.link("b")).isSameAs(link);
      assertThat(atA.lost).isEmpty();

      a.removeNode("b");
      a.disconnect("b", "enough");
      eventually(() -> assertThat(a.peers()).isEmpty());
      eventually(() -> assertThat(b.peers()).isEmpty());
      assertThatThrownBy(() -> a.send("b", text("three")))
          .hasMessage("node \"b\" is not known in this network");
    }
  }

  @Test
  void anEarlierLifeOfANodeIsRefusedAndALaterOneIsNot() throws Exception {
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
          .hasMessageEndingWith("a later node has the name \"b\": give this one another name")
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
      RecordingReceiver heard = new RecordingReceiver();
      PeerConnections a = net.open("a", heard);
      List<PeerConnections> others = new ArrayList<>();
      for (String name : List.of("b", "c", "d")) {
        PeerConnections other = net.open(name, new RecordingReceiver());
        other.addNode("a", a.address(), 1);
        others.add(other);
      }
      others.get(0).send("a", text("b"));
      others.get(1).send("a", text("c"));
      eventually(() -> assertThat(heard.texts).hasSize(2));
      assertThatThrownBy(() -> others.get(2).send("a", text("d")))
          .hasMessageContaining("2 nodes are linked with this one");
      others.get(0).close();
      eventually(() -> assertThat(a.peers()).containsExactly("c"));
      others.get(2).send("a", text("d"));
      eventually(() -> assertThat(heard.texts).hasSize(3));
    }
  }

  @Test
  void whatAnotherSaysIsCutAndSteersNoTerminal() throws Exception {
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

  @Test
  void aBodyThatIsOnlyAnnouncedTakesNoMemory() {
    ByteBuffer head =
        ByteBuffer.allocate(MessageWriter.HEADER + 5).putInt(ClusterProtocol.MAX_BODY);
    List<Integer> asked = new ArrayList<>();
    InputStream in =
        new FilterInputStream(new ByteArrayInputStream(head.put((byte) 4).array())) {
          @Override
          public int read(byte[] into, int from, int length) throws IOException {
            asked.add(into.length);
            return super.read(into, from, length);
          }
        };
    assertThatThrownBy(() -> new MessageReader(in).read()).isInstanceOf(EOFException.class);
    assertThat(asked).allMatch(length -> length <= 1 << 20);
  }
}
