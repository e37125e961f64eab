package dev.millrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.ConfiguredLayers;
import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.HeldLayers.State;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.NetworkKey;
import dev.millrace.cluster.NetworkSettings;
import dev.millrace.cluster.NodeMemory;
import dev.millrace.cluster.NodeSettings;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.internal.connection.ConnectionSettings;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import dev.millrace.cluster.internal.link.MessageReceiver;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.link.PeerConnections;
import dev.millrace.cluster.internal.protocol.LoadLayersRequest;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.engine.Engine;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import dev.millrace.engine.oracle.ModelShape;
import dev.millrace.engine.oracle.RandomModels;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nodes over TLS on loopback, and an origin that goes by the test's plan. */
@Timeout(120)
@Tag("slow")
class LayerNodeTest {
  private static final long SEED = 21;
  private static final int LAYERS = 4;
  private static final SSLContext TLS = NetworkKey.generate().tls();
  private static final EngineSettings SETTINGS =
      EngineSettings.usual().withThreads(1).withContext(128).withSlots(4).withTokens(512);

  @TempDir static Path directory;
  private static Path file;

  private final List<LayerNode> nodes = new ArrayList<>();

  @BeforeAll
  static void makeModel() throws IOException {
    ModelShape shape =
        new ModelShape("llama", LAYERS, 64, 4, 2, 16, 64, 320, 256, false, false, Map.of());
    file = RandomModels.write(directory.resolve("tiny.gguf"), shape, TensorType.Q8_0, SEED);
  }

  @AfterEach
  void stop() {
    nodes.forEach(LayerNode::close);
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().startsWith("millrace-node")));
  }

  private NetworkSettings network(String name) {
    List<HostPort> join = nodes.isEmpty() ? List.of() : List.of(nodes.getFirst().address());
    return NetworkSettings.of(name, new HostPort("127.0.0.1", 0), TLS).withJoin(join);
  }

  private LayerNode start(
      String name, long memory, List<ConfiguredLayers> layers, List<Path> places) {
    LayerNode node =
        LayerNode.start(
            new NodeSettings(
                network(name),
                layers,
                memory == 0
                    ? NodeMemory.forConfiguredLayers(1 << 30)
                    : NodeMemory.forRequests(memory),
                1,
                KernelType.best(),
                16,
                places,
                directory.resolve("cache-" + name)));
    nodes.add(node);
    return node;
  }

  private LayerNode holding(String name, int from, int to) {
    return start(name, 0, List.of(new ConfiguredLayers(file, new LayerRange(from, to))), List.of());
  }

  private static List<GenerationRequest> requests() {
    Random random = new Random(SEED);
    List<GenerationRequest> all = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      int[] prompt = random.ints(3 + 11 * i, 3, 320).toArray();
      Sampling sampling =
          i % 2 == 0
              ? Sampling.greedy()
              : Sampling.builder().temperature(0.8).topK(30).seed(i).build();
      all.add(GenerationRequest.of(prompt, sampling, 20).ignoringEnd());
    }
    return all;
  }

  private static List<int[]> generate(Engine engine) throws InterruptedException {
    List<Generation> under = new ArrayList<>();
    for (GenerationRequest request : requests()) {
      under.add(engine.submit(request, (token, text, logprobs) -> {}));
    }
    List<int[]> tokens = new ArrayList<>();
    for (Generation generation : under) {
      tokens.add(generation.await().tokens());
    }
    return tokens;
  }

  private static List<int[]> alone() throws InterruptedException {
    try (Engine engine = Engine.open(file, SETTINGS)) {
      return generate(engine);
    }
  }

  private static Pipe plan(long epoch) {
    return new Pipe(
        epoch,
        "o",
        LAYERS,
        List.of(new NodeLayers("o", 0, 1), new NodeLayers("a", 1, 3), new NodeLayers("b", 3, 4)));
  }

  private static void awaitFree(LayerNode node) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(node.state())
                    .extracting(NodeState::sessions, NodeState::cacheBytes, NodeState::sequences)
                    .containsExactly(0, 0L, 0));
  }

  @Test
  void twoNodesGiveTheTokensOfOneEngineAndKeepNothing() throws InterruptedException {
    LayerNode first = holding("a", 0, 3);
    LayerNode second = holding("b", 2, 4);
    List<int[]> expected = alone();
    try (NetworkedTestOrigin origin = new NetworkedTestOrigin(file, SETTINGS, network("o"))) {
      String sha256 = origin.awaitLoaded("a");
      assertThat(origin.awaitLoaded("b")).isEqualTo(sha256).hasSize(64);
      Engine engine = origin.open(77, sha256, plan(3));
      List<int[]> tokens = generate(engine);
      for (int i = 0; i < expected.size(); i++) {
        assertThat(tokens.get(i)).as("request %d, seed %d", i, SEED).isEqualTo(expected.get(i));
      }
      assertThat(first.state().holdings().getFirst().speed()).isPositive();
      Awaitility.await().until(() -> first.state().sessions() == 1);
      assertThat(first.state().cacheBytes()).isPositive();
      origin.send("b", Kind.CLOSE, 77, ByteBuffer.allocate(0));
      awaitFree(second);
    }
    awaitFree(first); // its origin left without a word
  }

  @Test
  void aNodeThatStopsTellsItsOriginsAndEndsSoon() throws InterruptedException {
    LayerNode first = holding("a", 1, 3);
    LayerNode second = holding("b", 3, 4);
    try (NetworkedTestOrigin origin = new NetworkedTestOrigin(file, SETTINGS, network("o"))) {
      String sha256 = origin.awaitLoaded("a");
      origin.awaitLoaded("b");
      origin.open(5, sha256, plan(1));
      second.close();
      assertThat(WireCodec.decodeTexts(origin.next(Kind.REFUSED).body(), 1))
          .containsExactly("node b stops");
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> first.states().stream().noneMatch(state -> state.name().equals("b")));
      assertThat(first.state().sessions()).as("the origin's to close").isEqualTo(1);
    }
  }

  @Test
  void layersAreLoadedWhenAnOriginAsksAndRefusedBeyondTheMemory() throws Exception {
    long one = Files.size(file) / LAYERS; // more than a layer, less than two
    start("a", 3 * one, List.of(), List.of(directory.resolve("tiny.gguf")));
    try (NetworkedTestOrigin origin = new NetworkedTestOrigin(file, SETTINGS, network("o"))) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .ignoreExceptions()
          .until(() -> !origin.stateOf("a").files().isEmpty());
      String sha256 = origin.stateOf("a").files().getFirst();
      origin.send("a", Kind.LOAD, 0, loadRequest(sha256, 1, 3, 2 * one));
      origin.awaitLoaded("a");
      HeldLayers holding = origin.stateOf("a").holdings().getFirst();
      assertThat(holding)
          .extracting(HeldLayers::from, HeldLayers::to, HeldLayers::layers, HeldLayers::model)
          .containsExactly(1, 3, LAYERS, "tiny");
      assertThat(origin.stateOf("a").used()).isEqualTo(holding.bytes());
      origin.send("a", Kind.LOAD, 0, loadRequest(sha256, 0, 4, 4 * one));
      String refusal = WireCodec.decodeTexts(origin.next(Kind.REFUSED).body(), 1).getFirst();
      assertThat(refusal).startsWith("layers 0-3 of model tiny need ");
    }
  }

  @Test
  void modelThatIsNotHereIsFetchedFromAPeer() throws Exception {
    holding("a", 0, 2);
    start("b", Files.size(file), List.of(), List.of());
    try (NetworkedTestOrigin origin = new NetworkedTestOrigin(file, SETTINGS, network("o"))) {
      String sha256 = origin.awaitLoaded("a");
      origin.awaitMember("b");
      Awaitility.await().until(() -> origin.stateOf("a").files().contains(sha256));
      origin.send("b", Kind.LOAD, 0, loadRequest(sha256, 2, 4, Files.size(file) / 2));
      origin.awaitLoaded("b");
      assertThat(origin.stateOf("b").holdings().getFirst())
          .extracting(HeldLayers::from, HeldLayers::to, HeldLayers::sha256)
          .containsExactly(2, 4, sha256);
      Awaitility.await().until(() -> origin.stateOf("b").files().contains(sha256));
      origin.send("b", Kind.LOAD, 0, loadRequest("ab".repeat(32), 2, 4, 100));
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> origin.stateOf("b").holdings().getFirst().state() == State.FAILED);
      assertThat(origin.stateOf("b").holdings().getFirst().problem()).isNotEmpty();
    }
  }

  @Test
  void oneSilentAddressDelaysNoOther() throws Exception {
    LayerNode node = holding("a", 1, 3);
    CountDownLatch dialled = new CountDownLatch(1);
    CountDownLatch givenUp = new CountDownLatch(1);
    HostPort any = new HostPort("127.0.0.1", 0);
    MessageReceiver deaf =
        new MessageReceiver() {
          @Override
          public void received(String from, NodeMessage message) {}

          @Override
          public void lost(String other, String why) {}
        };
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        NetworkedTestOrigin origin = new NetworkedTestOrigin(file, SETTINGS, network("o"));
        PeerConnections unknownNode =
            PeerConnections.open(
                new NodeIdentity("x", 1, TLS, false),
                any,
                ConnectionSettings.DEFAULTS.withAdvertise(
                    new HostPort("127.0.0.1", silent.getLocalPort())),
                hello -> null,
                deaf)) {
      origin.awaitMember("a");
      origin.send("a", Kind.RECORDS_ASKED, 99, WireCodec.encode(5L));
      origin.next(Kind.REFUSED); // from now on there is a link each way
      Thread.ofVirtual().start(() -> keepSilent(silent, dialled, givenUp));
      unknownNode.addNode("a", node.address(), node.state().incarnation());
      for (int i = 0; i < 4; i++) {
        unknownNode.send("a", new NodeMessage(Kind.RECORDS_ASKED, 1000 + i, WireCodec.encode(5L)));
      }
      assertThat(dialled.await(60, TimeUnit.SECONDS)).isTrue();
      for (int i = 1; i < 4; i++) {
        origin.send("a", Kind.RECORDS_ASKED, i, WireCodec.encode(5L));
        assertThat(origin.next(Kind.REFUSED).session()).isEqualTo(i);
      }
      assertThat(givenUp.getCount()).as("x is still being dialled").isEqualTo(1);
    }
  }

  private static void keepSilent(ServerSocket at, CountDownLatch dialled, CountDownLatch givenUp) {
    try (Socket caller = at.accept()) {
      dialled.countDown();
      caller.getInputStream().readAllBytes();
    } catch (IOException e) {
      // it is closed
    }
    givenUp.countDown();
  }

  private static ByteBuffer loadRequest(String sha256, int from, int to, long bytes)
      throws IOException {
    return WireCodec.encode(
        new LoadLayersRequest(sha256, "tiny", from, to, Files.size(file), bytes));
  }
}
