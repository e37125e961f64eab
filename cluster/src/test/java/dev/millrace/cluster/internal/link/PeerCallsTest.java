package dev.millrace.cluster.internal.link;

import static dev.millrace.cluster.internal.link.LoopbackConnections.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.connection.CallClient;
import dev.millrace.cluster.internal.connection.ConnectionSettings;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls: one question and its answer over a connection of their own. */
@Timeout(60)
final class PeerCallsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

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
      String answer =
          a.call(
              b.address(),
              "double",
              TIMEOUT,
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
      assertThat(answer).isEqualTo("a");
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
      assertThatThrownBy(() -> a.call(b.address(), "broken", TIMEOUT, (in, out) -> in.readInt()))
          .hasMessage(b.address() + " ended the call \"broken\" early");
      Duration short_ = Duration.ofMillis(300);
      assertThatThrownBy(() -> a.call(b.address(), "still", short_, (in, out) -> in.readInt()))
          .hasMessage(b.address() + " sent nothing in the call \"still\" for 300 ms");
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
      assertThatThrownBy(() -> a.call(b.address(), "none", TIMEOUT, (in, out) -> 1))
          .hasMessage(
              b.address() + " refused us: this node does not answer the call \"none\" (yet)")
          .extracting(e -> ((ClusterException) e).refused())
          .isEqualTo(false);
      go.countDown();
    }
  }

  @Test
  void aCommandWithoutANameMayAskForTheStateOnly() throws Exception {
    try (LoopbackConnections net = new LoopbackConnections()) {
      PeerConnections b =
          net.open("b", 1, net.tls, hello -> "the policy is not asked", new RecordingReceiver());
      b.handleCalls("state", (from, in, out) -> out.writeUTF("<" + from + ">"));
      b.handleCalls("model", (from, in, out) -> out.writeUTF("secret"));
      NodeIdentity command = NodeIdentity.command(net.tls, false);
      assertThat(
              CallClient.<String>call(
                  command, b.address(), "state", TIMEOUT, (in, out) -> in.readUTF()))
          .isEqualTo("<>");
      assertThatThrownBy(
              () ->
                  CallClient.call(
                      command, b.address(), "model", TIMEOUT, (in, out) -> in.readUTF()))
          .hasMessage(
              b.address() + " refused us: a name is needed for anything but the call \"state\"");
    }
  }

  @Test
  void onlySoManyCallsAreAnsweredAtOnce() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    ConnectionSettings two = new ConnectionSettings(TIMEOUT, TIMEOUT, 1 << 20, 8, 2, TIMEOUT, null);
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
                .start(() -> a.call(b.address(), "wait", TIMEOUT, (in, out) -> in.read())));
      }
      begun.await();
      assertThatThrownBy(() -> a.call(b.address(), "wait", TIMEOUT, (in, out) -> in.read()))
          .hasMessageContaining("2 calls are being answered");
      go.countDown();
      for (Thread thread : calling) {
        thread.join();
      }
      eventually(
          () ->
              assertThat(a.<Integer>call(b.address(), "wait", TIMEOUT, (in, out) -> in.read()))
                  .isEqualTo(1));
    }
  }
}
