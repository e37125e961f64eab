package dev.millrace.cluster.internal.link;

import static dev.millrace.cluster.internal.link.LoopbackConnections.eventually;
import static dev.millrace.cluster.internal.link.LoopbackConnections.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.internal.connection.ConnectionSettings;
import dev.millrace.cluster.internal.connection.WireErrors;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An attacker between two nodes can end their link, and nothing else. */
@Timeout(60)
@Tag("slow")
final class TamperedLinkTest {
  private static final ConnectionSettings QUICK =
      ConnectionSettings.DEFAULTS.withLinkTimeout(Duration.ofSeconds(1));

  private final RecordingReceiver atA = new RecordingReceiver();
  private final RecordingReceiver atB = new RecordingReceiver();

  /** Node a with a link to b over a proxy, over which one message went. */
  private record Between(
      LoopbackConnections net, PeerConnections a, PeerConnections b, TamperingProxy proxy)
      implements AutoCloseable {
    @Override
    public void close() {
      proxy.close();
      net.close();
    }
  }

  private Between between(ConnectionSettings settings) {
    LoopbackConnections net = new LoopbackConnections(settings);
    PeerConnections a = net.open("a", atA);
    PeerConnections b = net.open("b", atB);
    TamperingProxy proxy = new TamperingProxy(b.address());
    a.addNode("b", proxy.address(), 1);
    a.send("b", text("first"));
    eventually(() -> assertThat(atB.texts).containsExactly("a: first"));
    return new Between(net, a, b, proxy);
  }

  @Test
  void aFlippedByteEndsTheLinkAndDeliversNothing() {
    try (Between between = between(ConnectionSettings.DEFAULTS)) {
      between.proxy().harm =
          (bytes, length, to) -> {
            bytes[length / 2] ^= 0x10;
            to.write(bytes, 0, length);
          };
      between.a().send("b", text("secret payload"));
      eventually(() -> assertThat(atB.lost).hasSize(1));
      eventually(() -> assertThat(atA.lost).hasSize(1));
      assertThat(atB.lost.getFirst()).startsWith("a: bytes were changed on the way");
      assertThat(atB.texts).containsExactly("a: first");

      between.proxy().harm = TamperingProxy.NONE;
      between.a().send("b", text("again"));
      eventually(() -> assertThat(atB.all).containsExactly("a: first", "lost a", "a: again"));
    }
  }

  @Test
  void aTruncatedMessageEndsTheLinkAndDeliversNothing() {
    try (Between between = between(ConnectionSettings.DEFAULTS)) {
      between.proxy().harm =
          (bytes, length, to) -> {
            to.write(bytes, 0, length / 2);
            throw new IOException("cut");
          };
      between.a().send("b", text("secret payload"));
      eventually(() -> assertThat(atB.lost).hasSize(1));
      eventually(() -> assertThat(atA.lost).hasSize(1));
      assertThat(atB.lost).containsExactly("a: " + WireErrors.NO_GOODBYE);
      assertThat(atB.texts).containsExactly("a: first");
    }
  }

  @Test
  void bytesSaidTwiceAreDeliveredOnce() {
    try (Between between = between(ConnectionSettings.DEFAULTS)) {
      between.proxy().harm =
          (bytes, length, to) -> {
            to.write(bytes, 0, length);
            to.write(bytes, 0, length);
          };
      between.a().send("b", text("only once"));
      eventually(() -> assertThat(atB.lost).hasSize(1));
      assertThat(atB.lost.getFirst()).startsWith("a: bytes were changed on the way");
      assertThat(atB.texts.stream().filter(t -> t.contains("only once")).count())
          .isLessThanOrEqualTo(1);
    }
  }

  @Test
  void aRecordedConnectionReplayedDeliversNothing() throws Exception {
    try (Between between = between(ConnectionSettings.DEFAULTS)) {
      byte[] recorded = between.proxy().recorded();
      assertThat(recorded.length).isGreaterThan(500);
      HostPort b = between.b().address();
      try (Socket replay = new Socket(b.host(), b.port())) {
        replay.setSoTimeout(20_000);
        replay.getOutputStream().write(recorded);
        InputStream in = replay.getInputStream();
        byte[] answer = in.readAllBytes();
        assertThat(new String(answer, java.nio.charset.StandardCharsets.ISO_8859_1))
            .doesNotContain("millrace");
      }
      assertThat(atB.texts).containsExactly("a: first");
      assertThat(atB.lost).isEmpty();
    }
  }

  @Test
  void aDelayBelowThePatienceHarmsNothing() {
    try (Between between =
        between(ConnectionSettings.DEFAULTS.withLinkTimeout(Duration.ofSeconds(30)))) {
      between.proxy().harm =
          (bytes, length, to) -> {
            byte[] later = Arrays.copyOf(bytes, length);
            java.util.concurrent.locks.LockSupport.parkNanos(300_000_000);
            to.write(later);
          };
      for (int i = 0; i < 5; i++) {
        between.a().send("b", text("late " + i));
      }
      eventually(() -> assertThat(atB.texts).hasSize(6));
      assertThat(atB.texts.getLast()).isEqualTo("a: late 4");
      assertThat(atA.lost).isEmpty();
      assertThat(atB.lost).isEmpty();
    }
  }

  @Test
  void silenceBeyondThePatienceIsALossOnBothSides() {
    try (Between between = between(QUICK)) {
      between.proxy().frozen = true;
      eventually(() -> assertThat(atA.lost).containsExactly("b: it was silent for 1 s"));
      eventually(() -> assertThat(atB.lost).containsExactly("a: it was silent for 1 s"));
      assertThatThrownBy(() -> between.a().send("b", text("x")))
          .isInstanceOf(ClusterException.class)
          .hasMessageStartingWith(
              between.proxy().address() + " accepted the connection and did not answer in 5 s");
    }
  }

  @Test
  void anIdleLinkStaysUpByItsPings() throws Exception {
    try (Between between =
        between(ConnectionSettings.DEFAULTS.withLinkTimeout(Duration.ofSeconds(3)))) {
      Link link = between.a().link("b");
      int before = between.proxy().recorded().length;
      eventually(
          () ->
              assertThat(between.proxy().recorded().length)
                  .as("bytes of eight pings, which come five times in the patience")
                  .isGreaterThan(before + 8 * 30));
      assertThat(between.a().link("b")).isSameAs(link).isNotNull();
      assertThat(atA.lost).isEmpty();
      assertThat(atB.lost).isEmpty();
    }
  }
}
