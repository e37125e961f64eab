package dev.millrace.cluster.origin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.ConfiguredLayers;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.NetworkKey;
import dev.millrace.cluster.NetworkSettings;
import dev.millrace.cluster.NodeMemory;
import dev.millrace.cluster.NodeSettings;
import dev.millrace.cluster.OriginSettings;
import dev.millrace.cluster.node.FaultyNodes;
import dev.millrace.cluster.node.LayerNode;
import dev.millrace.engine.Engine;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.oracle.ModelShape;
import dev.millrace.engine.oracle.RandomModels;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Origins and nodes in one process, with TLS over loopback between them. */
abstract class LoopbackCluster {
  static final long SEED = 33;
  static final int LAYERS = 6;
  static final int TOKENS = 30;
  static final SSLContext TLS = NetworkKey.generate().tls();
  static final EngineSettings SETTINGS =
      EngineSettings.usual().withThreads(1).withContext(128).withSlots(4).withTokens(512);

  @TempDir static Path directory;
  static Path file;
  static List<int[]> expected;

  final List<LayerNode> nodes = new ArrayList<>();
  final List<Origin> origins = new ArrayList<>();

  @BeforeAll
  static void makeModel() throws IOException, InterruptedException {
    file = model("tiny.gguf", SEED);
    try (Engine engine = Engine.open(file, SETTINGS)) {
      expected = generate(engine, token -> {});
    }
  }

  static Path model(String name, long seed) throws IOException {
    ModelShape shape =
        new ModelShape("llama", LAYERS, 64, 4, 2, 16, 64, 320, 256, false, false, Map.of());
    return RandomModels.write(directory.resolve(name), shape, TensorType.Q8_0, seed);
  }

  @AfterEach
  void stop() {
    origins.forEach(Origin::close);
    nodes.forEach(LayerNode::close);
  }

  NetworkSettings network(String name) {
    List<HostPort> join = nodes.stream().map(LayerNode::address).limit(2).toList();
    return NetworkSettings.of(name, new HostPort("127.0.0.1", 0), TLS).withJoin(join);
  }

  NodeSettings settings(String name, List<ConfiguredLayers> layers, long memory) {
    return new NodeSettings(
        network(name),
        layers,
        memory == 0 ? NodeMemory.forConfiguredLayers(1 << 30) : NodeMemory.forRequests(memory),
        1,
        KernelType.best(),
        16,
        List.of(),
        directory.resolve("cache-" + name));
  }

  LayerNode holding(String name, int from, int to) {
    LayerNode node =
        LayerNode.start(
            settings(name, List.of(new ConfiguredLayers(file, new LayerRange(from, to))), 0));
    nodes.add(node);
    return node;
  }

  LayerNode faulty(String name, int from, int to, Consumer<Batch> after) {
    LayerNode node =
        FaultyNodes.start(
            settings(name, List.of(new ConfiguredLayers(file, new LayerRange(from, to))), 0),
            after);
    nodes.add(node);
    return node;
  }

  Origin origin(String name, UnaryOperator<OriginSettings> change) {
    OriginSettings settings =
        OriginSettings.of(network(name), file, SETTINGS).withCache(directory.resolve("hashes"));
    Origin origin = Origin.open(change.apply(settings));
    origins.add(origin);
    return origin;
  }

  Origin ready(String name, UnaryOperator<OriginSettings> change) {
    Origin origin = origin(name, change);
    await(origin, 1);
    return origin;
  }

  static void await(Origin origin, int pipes) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> assertThat(origin.stats().running()).as(origin::waitingReason).isEqualTo(pipes));
  }

  static List<GenerationRequest> requests() {
    Random random = new Random(SEED);
    List<GenerationRequest> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      int[] prompt = random.ints(3 + 9 * i, 3, 320).toArray();
      Sampling sampling =
          i % 2 == 0
              ? Sampling.greedy()
              : Sampling.builder().temperature(0.8).topK(30).seed(i).build();
      all.add(GenerationRequest.of(prompt, sampling, TOKENS).ignoringEnd());
    }
    return all;
  }

  /** What comes of all requests; one that is revoked is submitted again, as a server would. */
  static List<int[]> generate(Engine engine, Consumer<Integer> onToken)
      throws InterruptedException {
    AtomicInteger count = new AtomicInteger();
    List<Generation> under = new ArrayList<>();
    for (GenerationRequest request : requests()) {
      under.add(submit(engine, request, count, onToken));
    }
    List<int[]> tokens = new ArrayList<>();
    for (int i = 0; i < under.size(); i++) {
      GenerationResult result = under.get(i).await();
      for (int again = 0; result.finish() == FinishReason.REVOKED && again < 3; again++) {
        result = submit(engine, requests().get(i), count, onToken).await();
      }
      assertThat(result.finish()).as(result.reason()).isEqualTo(FinishReason.LENGTH);
      tokens.add(result.tokens());
    }
    return tokens;
  }

  static Generation submit(
      Engine engine, GenerationRequest request, AtomicInteger count, Consumer<Integer> onToken) {
    return engine.submit(
        request, (token, text, logprobs) -> onToken.accept(count.incrementAndGet()));
  }

  static void assertSame(List<int[]> tokens) {
    assertThat(tokens).as("seed %d", SEED).hasSameSizeAs(expected);
    for (int i = 0; i < tokens.size(); i++) {
      assertThat(tokens.get(i)).as("request %d, seed %d", i, SEED).isEqualTo(expected.get(i));
    }
  }

  LayerNode inUse(Origin origin, String... names) {
    for (LayerNode node : nodes) {
      for (String name : names) {
        if (node.name().equals(name)
            && origin.stats().pipes().getFirst().stretches().stream()
                .anyMatch(stretch -> stretch.node().equals(name))) {
          return node;
        }
      }
    }
    throw new AssertionError("none of " + List.of(names) + " in " + origin.stats().pipes());
  }

  void awaitFree() {
    for (LayerNode node : nodes) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(node.state().sessions()).as(node.name()).isZero());
    }
  }
}
