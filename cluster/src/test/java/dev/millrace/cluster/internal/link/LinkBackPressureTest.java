package dev.millrace.cluster.internal.link;

import static dev.millrace.cluster.internal.link.LoopbackConnections.eventually;
import static dev.millrace.cluster.internal.link.LoopbackConnections.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ClusterProtocol;
import dev.millrace.cluster.internal.connection.ConnectionSettings;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a receiver that takes nothing costs its sender. */
@Timeout(60)
final class LinkBackPressureTest {
  @Test
  void aSlowReaderMakesSendersWaitAndNothingIsLost() throws Exception {
    int size = 1 << 20;
    BlockedReceiver slow = new BlockedReceiver();
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
      slow.release();
      assertThat(sender.join(Duration.ofSeconds(60))).isTrue();
      eventually(() -> assertThat(slow.taken).hasSize(64));
      assertThat(slow.taken).isEqualTo(List.copyOf(sent)).isSorted();
    }
  }

  @Test
  void aPeerThatPingsAndDoesNotReadIsLost() throws Exception {
    BlockedReceiver stuck = new BlockedReceiver();
    try (LoopbackConnections net =
        new LoopbackConnections(
            ConnectionSettings.DEFAULTS
                .withQueueBytes(1L << 20)
                .withLinkTimeout(Duration.ofSeconds(2)))) {
      RecordingReceiver receiver = new RecordingReceiver();
      PeerConnections a = net.open("a", receiver);
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
      eventually(() -> assertThat(receiver.lost).containsExactly("b: it has read nothing for 4 s"));
      assertThatThrownBy(() -> a.sendOnOpenLink("b", text("x")))
          .hasMessage("there is no link to node \"b\" any more");
      stuck.release();
    }
  }

  @Test
  void aSenderThatWaitsForRoomIsReleasedWhenTheLinkEnds() throws Exception {
    BlockedReceiver stuck = new BlockedReceiver();
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
        stuck.release();
      }
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
