package dev.millrace.cluster.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NetworkKey;
import dev.millrace.cluster.internal.connection.ConnectionSettings;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import dev.millrace.cluster.internal.link.MessageReceiver;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.PeerConnections;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ModelServerTest {
  @TempDir Path dir;
  private final LoopbackPeers lines = new LoopbackPeers();
  private Path model;
  private ModelStore store;
  private String sha256;

  @BeforeEach
  void write() throws IOException {
    model = ModelFilesForTests.write(dir.resolve("m.gguf"), ChunkHashes.SIZE + 7, 1);
    store = ModelStore.open(List.of(), dir.resolve("cache"), () -> {});
    sha256 = store.sha256(model);
  }

  @AfterEach
  void close() throws IOException {
    lines.close();
    store.close();
  }

  /** A caller who says a hash, and what a test has it say. */
  private record Caller(Socket socket, DataInputStream in, DataOutputStream out) {
    void ask(int first, int count) throws IOException {
      out.writeInt(first);
      out.writeInt(count);
    }

    static Caller of(HostPort at, String sha256) throws IOException {
      Socket socket = new Socket(at.host(), at.port());
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      out.write(HexFormat.of().parseHex(sha256));
      return new Caller(socket, new DataInputStream(socket.getInputStream()), out);
    }
  }

  @Test
  void twoAreServedAtOnceAndTheThirdWaitsForOneToGo() throws IOException {
    HostPort at = lines.peer("a", new ModelServer(store, 5, System::nanoTime)).peer().at();
    Caller first = Caller.of(at, sha256);
    Caller second = Caller.of(at, sha256);
    assertThat(first.in.read()).isEqualTo(ModelServer.HAVE);
    assertThat(second.in.read()).isEqualTo(ModelServer.HAVE);
    Caller third = Caller.of(at, sha256);
    assertThat(third.in.readNBytes(3)).containsOnly(ModelServer.WAIT);
    first.socket.close();
    int said = third.in.read();
    while (said == ModelServer.WAIT) {
      said = third.in.read();
    }
    assertThat(said).isEqualTo(ModelServer.HAVE);
    second.socket.close();
    third.socket.close();
  }

  @Test
  void aCallerThatAsksTooSeldomLosesItsSlot() throws IOException {
    AtomicLong clock = new AtomicLong();
    HostPort at = lines.peer("a", new ModelServer(store, 5, clock::get)).peer().at();
    Caller slow = Caller.of(at, sha256);
    assertThat(slow.in.read()).isEqualTo(ModelServer.HAVE);
    ChunkHashes chunks = ChunkHashes.read(slow.in, Files.size(model));
    int said;
    do {
      slow.ask(1, 1);
      said = slow.in.read();
      if (said == ModelServer.CHUNK) {
        slow.in.readNBytes(Integer.BYTES + chunks.length(1));
        clock.addAndGet(Duration.ofSeconds(31).toNanos());
      }
    } while (said == ModelServer.CHUNK);
    assertThat(said).isEqualTo(ModelServer.REFUSED);
    assertThat(slow.in.readUTF()).isEqualTo("no chunk was requested for 30 s");
    assertThat(slow.in.read()).as("the call is over").isEqualTo(-1);
    slow.socket.close();
  }

  @Test
  void aCallerThatReadsTooSlowlyLosesItsSlot() throws IOException {
    AtomicLong clock = new AtomicLong();
    HostPort at =
        lines
            .peer(
                "a",
                new ModelServer(store, 5, () -> clock.addAndGet(Duration.ofSeconds(20).toNanos())))
            .peer()
            .at();
    Caller slow = Caller.of(at, sha256);
    assertThat(slow.in.read()).isEqualTo(ModelServer.HAVE);
    ChunkHashes.read(slow.in, Files.size(model));
    slow.ask(0, 1);
    assertThat(slow.in.readAllBytes().length).as("cut off").isBetween(1, ChunkHashes.SIZE - 1);
    slow.socket.close();
  }

  @Test
  void callersBeyondTheLimitAreRefused() throws IOException {
    HostPort at = lines.peer("a", new ModelServer(store, 5, System::nanoTime)).peer().at();
    List<Caller> callers = new ArrayList<>();
    for (int i = 0; i < 18; i++) {
      callers.add(Caller.of(at, sha256));
      assertThat(callers.getLast().in.read()).isIn(ModelServer.HAVE, ModelServer.WAIT);
    }
    Caller last = Caller.of(at, sha256);
    assertThat(last.in.read()).isEqualTo(ModelServer.REFUSED);
    assertThat(last.in.readUTF()).contains("18 others are fetching here");
    for (Caller one : callers) {
      one.socket.close();
    }
    await()
        .until(
            () -> {
              try (Socket again = Caller.of(at, sha256).socket) {
                return again.getInputStream().read() == ModelServer.HAVE;
              }
            });
  }

  @Test
  void chunksThatAreNotThereAreRefused() throws IOException {
    HostPort at = lines.peer("a", new ModelServer(store, 5, System::nanoTime)).peer().at();
    int[][] wrong = {{-2, 1}, {0, 0}, {0, 3}, {2, 1}, {1, Integer.MAX_VALUE}, {0, -1}};
    for (int[] asked : wrong) {
      Caller caller = Caller.of(at, sha256);
      assertThat(caller.in.read()).isEqualTo(ModelServer.HAVE);
      ChunkHashes.read(caller.in, Files.size(model));
      caller.ask(asked[0], asked[1]);
      assertThat(caller.in.read()).isEqualTo(ModelServer.REFUSED);
      assertThat(caller.in.readUTF()).contains("the model has 2 chunks");
      caller.socket.close();
    }
  }

  @Test
  void aFileThatChangedIsNotServedUnderItsOldHash() throws IOException {
    ModelSource peer = lines.peer("a", new ModelServer(store, 5, System::nanoTime)).peer();
    ModelFilesForTests.write(model, 1_000, 2);
    Caller caller = Caller.of(peer.at(), sha256);
    assertThat(caller.in.read()).isEqualTo(ModelServer.REFUSED);
    assertThat(caller.in.readUTF()).contains("this node does not have model " + sha256);
    caller.socket.close();
  }

  private static final class Deaf implements MessageReceiver {
    @Override
    public void received(String from, NodeMessage message) {}

    @Override
    public void lost(String node, String why) {}
  }

  @Test
  void aModelIsFetchedOverPeerConnections() throws IOException {
    NetworkKey key = NetworkKey.generate();
    HostPort free = new HostPort("127.0.0.1", 0);
    NodeIdentity here = new NodeIdentity("here", 1, key.tls(), false);
    NodeIdentity there = new NodeIdentity("there", 2, key.tls(), false);
    try (PeerConnections a =
            PeerConnections.open(
                here, free, ConnectionSettings.DEFAULTS, hello -> null, new Deaf());
        PeerConnections b =
            PeerConnections.open(
                there, free, ConnectionSettings.DEFAULTS, hello -> null, new Deaf());
        ModelStore target = ModelStore.open(List.of(), dir.resolve("target"), () -> {})) {
      a.handleCalls(ModelServer.CALL, new ModelServer(store));
      ModelFetch.WantedModel wanted = new ModelFetch.WantedModel(sha256, "m", Files.size(model));
      PeerCalls wire = PeerCalls.over(b, Duration.ofSeconds(10));
      ModelSource peer = new ModelSource("here", a.address());
      ModelFetch.Sources sources = new ModelFetch.Sources(wire, () -> List.of(peer));
      Path fetched = ModelFetch.of(target, wanted, sources, words -> {}).run();
      assertThat(fetched).hasSameBinaryContentAs(model);
    }
  }

  @Test
  void aPeerThatFallsSilentIsLeftForAnotherAfterTheLinesPatience() throws IOException {
    NetworkKey key = NetworkKey.generate();
    HostPort free = new HostPort("127.0.0.1", 0);
    NodeIdentity here = new NodeIdentity("here", 1, key.tls(), false);
    NodeIdentity frozen = new NodeIdentity("frozen", 2, key.tls(), false);
    NodeIdentity there = new NodeIdentity("there", 3, key.tls(), false);
    try (PeerConnections a =
            PeerConnections.open(
                here, free, ConnectionSettings.DEFAULTS, hello -> null, new Deaf());
        PeerConnections silent =
            PeerConnections.open(
                frozen, free, ConnectionSettings.DEFAULTS, hello -> null, new Deaf());
        PeerConnections b =
            PeerConnections.open(
                there, free, ConnectionSettings.DEFAULTS, hello -> null, new Deaf());
        ModelStore target = ModelStore.open(List.of(), dir.resolve("target"), () -> {})) {
      a.handleCalls(ModelServer.CALL, new ModelServer(store));
      silent.handleCalls(ModelServer.CALL, (from, in, out) -> in.readAllBytes());
      ModelFetch.WantedModel wanted = new ModelFetch.WantedModel(sha256, "m", Files.size(model));
      List<ModelSource> both =
          List.of(
              new ModelSource("frozen", silent.address()), new ModelSource("here", a.address()));
      PeerCalls wire = PeerCalls.over(b, Duration.ofSeconds(1));
      long began = System.nanoTime();
      ModelFetch.Sources sources = new ModelFetch.Sources(wire, () -> both);
      Path fetched = ModelFetch.of(target, wanted, sources, words -> {}).run();
      assertThat(fetched).hasSameBinaryContentAs(model);
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(9));
    }
  }
}
