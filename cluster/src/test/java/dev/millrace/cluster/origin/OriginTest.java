package dev.millrace.cluster.origin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.member.NetworkSettings;
import dev.millrace.cluster.node.LayerNode;
import dev.millrace.cluster.node.Layers;
import dev.millrace.cluster.node.NodeSettings;
import dev.millrace.cluster.node.Spoiled;
import dev.millrace.cluster.place.Range;
import dev.millrace.cluster.wire.HostPort;
import dev.millrace.cluster.wire.NetworkKey;
import dev.millrace.engine.Engine;
import dev.millrace.engine.EngineSettings;
import dev.millrace.engine.gguf.TensorType;
import dev.millrace.engine.oracle.RandomModels;
import dev.millrace.engine.oracle.Shape;
import dev.millrace.engine.pipe.Batch;
import dev.millrace.engine.sample.Sampling;
import dev.millrace.engine.tensor.Kernels;
import dev.millrace.engine.wheel.Finish;
import dev.millrace.engine.wheel.Generation;
import dev.millrace.engine.wheel.Request;
import dev.millrace.engine.wheel.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Origins and nodes in one process, with TLS over loopback between them. */
@Timeout(180)
class OriginTest {
  private static final long SEED = 33;
  private static final int LAYERS = 6;
  private static final int TOKENS = 30;
  private static final SSLContext TLS = NetworkKey.generate().tls();
  private static final EngineSettings SETTINGS =
      EngineSettings.usual().withThreads(1).withContext(128).withSlots(4).withTokens(512);

  @TempDir static Path directory;
  private static Path file;
  private static List<int[]> expected;

  private final List<LayerNode> nodes = new ArrayList<>();
  private final List<Origin> origins = new ArrayList<>();

  @BeforeAll
  static void makeModel() throws IOException, InterruptedException {
    Shape shape = new Shape("llama", LAYERS, 64, 4, 2, 16, 64, 320, 256, false, false, Map.of());
    file = RandomModels.write(directory.resolve("tiny.gguf"), shape, TensorType.Q8_0, SEED);
    try (Engine engine = Engine.open(file, SETTINGS)) {
      expected = generate(engine, token -> {});
    }
  }

  @AfterEach
  void stop() {
    origins.forEach(Origin::close);
    nodes.forEach(LayerNode::close);
  }

  private NetworkSettings network(String name) {
    List<HostPort> join = nodes.stream().map(LayerNode::address).limit(2).toList();
    return new NetworkSettings(
        name,
        new HostPort("127.0.0.1", 0),
        null,
        join,
        TLS,
        false,
        Set.of(),
        0,
        NetworkSettings.PATIENCE);
  }

  private NodeSettings settings(String name, List<Layers> layers, long memory) {
    return new NodeSettings(
        network(name),
        layers,
        memory,
        1,
        Kernels.best(),
        16,
        List.of(),
        directory.resolve("cache-" + name));
  }

  private LayerNode holding(String name, int from, int to) {
    LayerNode node =
        LayerNode.start(settings(name, List.of(new Layers(file, new Range(from, to))), 0));
    nodes.add(node);
    return node;
  }

  private LayerNode spoiled(String name, int from, int to, Consumer<Batch> after) {
    LayerNode node =
        Spoiled.start(settings(name, List.of(new Layers(file, new Range(from, to))), 0), after);
    nodes.add(node);
    return node;
  }

  private Origin origin(String name, UnaryOperator<OriginSettings> change) {
    OriginSettings settings =
        OriginSettings.of(network(name), file, SETTINGS).withCache(directory.resolve("hashes"));
    Origin origin = Origin.open(change.apply(settings));
    origins.add(origin);
    return origin;
  }

  private Origin ready(String name, UnaryOperator<OriginSettings> change) {
    Origin origin = origin(name, change);
    await(origin, 1);
    return origin;
  }

  private static void await(Origin origin, int pipes) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> assertThat(origin.stats().running()).as(origin::waiting).isEqualTo(pipes));
  }

  private static List<Request> requests() {
    Random random = new Random(SEED);
    List<Request> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      int[] prompt = random.ints(3 + 9 * i, 3, 320).toArray();
      Sampling sampling =
          i % 2 == 0
              ? Sampling.greedy()
              : Sampling.builder().temperature(0.8).topK(30).seed(i).build();
      all.add(Request.of(prompt, sampling, TOKENS).ignoringEnd());
    }
    return all;
  }

  /** What comes of all requests; one that is revoked is submitted again, as a server would. */
  private static List<int[]> generate(Engine engine, Consumer<Integer> heard)
      throws InterruptedException {
    AtomicInteger count = new AtomicInteger();
    List<Generation> under = new ArrayList<>();
    for (Request request : requests()) {
      under.add(submit(engine, request, count, heard));
    }
    List<int[]> tokens = new ArrayList<>();
    for (int i = 0; i < under.size(); i++) {
      Result result = under.get(i).await();
      for (int again = 0; result.finish() == Finish.REVOKED && again < 3; again++) {
        result = submit(engine, requests().get(i), count, heard).await();
      }
      assertThat(result.finish()).as(result.reason()).isEqualTo(Finish.LENGTH);
      tokens.add(result.tokens());
    }
    return tokens;
  }

  private static Generation submit(
      Engine engine, Request request, AtomicInteger count, Consumer<Integer> heard) {
    return engine.submit(request, (token, text, logprobs) -> heard.accept(count.incrementAndGet()));
  }

  private static void assertSame(List<int[]> tokens) {
    assertThat(tokens).as("seed %d", SEED).hasSameSizeAs(expected);
    for (int i = 0; i < tokens.size(); i++) {
      assertThat(tokens.get(i)).as("request %d, seed %d", i, SEED).isEqualTo(expected.get(i));
    }
  }

  private LayerNode inUse(Origin origin, String... names) {
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

  private void awaitFree() {
    for (LayerNode node : nodes) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(node.state().sessions()).as(node.name()).isZero());
    }
  }

  @Test
  void nodesGiveWhatOneProcessGives() throws InterruptedException {
    holding("a", 1, 3);
    holding("b", 3, 6);
    Origin origin = ready("o", s -> s);
    assertSame(generate(origin.engine(), token -> {}));
    OriginStats stats = origin.stats();
    assertThat(stats.tokens()).isEqualTo(8L * TOKENS);
    assertThat(stats.bytesSent()).isGreaterThan(64 * 4 * 8L * TOKENS);
    assertThat(stats.bytesReceived()).isGreaterThan(64 * 4 * 8L * TOKENS);
    assertThat(stats.broken()).isZero();
    Awaitility.await()
        .untilAsserted(
            () ->
                assertThat(nodes).allSatisfy(node -> assertThat(node.state().passages()).isZero()));
    origin.close();
    awaitFree();
  }

  @Test
  void aNodeThatDiesInTheMiddleChangesNothing() throws InterruptedException {
    holding("a", 1, 3);
    holding("b", 3, 6);
    holding("c", 3, 6);
    Origin origin = ready("o", s -> s);
    LayerNode victim = inUse(origin, "b", "c");
    AtomicBoolean killed = new AtomicBoolean();
    List<int[]> tokens =
        generate(
            origin.engine(),
            count -> {
              if (count >= 60 && killed.compareAndSet(false, true)) {
                Thread.ofPlatform().start(() -> Spoiled.kill(victim));
              }
            });
    assertThat(killed).isTrue();
    assertSame(tokens);
    Awaitility.await().untilAsserted(() -> assertThat(origin.stats().recoveries()).isEqualTo(1));
    assertThat(origin.stats().pipes().getFirst().stretches())
        .noneMatch(stretch -> stretch.node().equals(victim.name()));
  }

  @Test
  void aNodeThatLeavesInOrderChangesNothing() throws InterruptedException {
    holding("a", 1, 3);
    holding("b", 3, 6);
    holding("c", 3, 6);
    Origin origin = ready("o", s -> s);
    LayerNode leaving = inUse(origin, "b", "c");
    CountDownLatch left = new CountDownLatch(1);
    List<int[]> tokens =
        generate(
            origin.engine(),
            count -> {
              if (count == 50) {
                Thread.ofPlatform()
                    .start(
                        () -> {
                          leaving.close();
                          left.countDown();
                        });
              }
            });
    left.await();
    assertSame(tokens);
    nodes.remove(leaving);
  }

  @Test
  void sequencesWaitVisiblyForMissingLayersAndGoOn() throws InterruptedException {
    LayerNode first = holding("a", 1, 3);
    Origin origin = origin("o", s -> s);
    Awaitility.await()
        .untilAsserted(
            () ->
                assertThat(origin.waiting())
                    .isEqualTo("layers 3-5 are missing (no node had them)"));
    AtomicInteger told = new AtomicInteger();
    origin.onReady(told::incrementAndGet);
    List<List<int[]>> results = new ArrayList<>();
    Thread waiting =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    results.add(generate(origin.engine(), token -> {}));
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                });
    Awaitility.await().until(() -> origin.engine().stats().waiting() == 8);
    Awaitility.await()
        .untilAsserted(
            () ->
                assertThat(first.states())
                    .anySatisfy(
                        state ->
                            assertThat(state.pipes())
                                .anySatisfy(
                                    pipe ->
                                        assertThat(pipe.waiting())
                                            .contains("layers 3-5 are missing"))));
    assertThat(told).hasValue(0);
    holding("b", 3, 6);
    waiting.join();
    assertSame(results.getFirst());
    assertThat(told).hasValue(1);
    assertThat(origin.waiting()).isEmpty();
  }

  @Test
  void twoPipesShareTheWork() throws InterruptedException {
    holding("a", 1, 3);
    holding("b", 3, 6);
    holding("c", 1, 3);
    holding("d", 3, 6);
    Origin origin = origin("o", s -> s);
    await(origin, 2);
    assertSame(generate(origin.engine(), token -> {}));
    OriginStats stats = origin.stats();
    assertThat(stats.opened()).isGreaterThanOrEqualTo(2);
    assertThat(stats.broken()).isZero();
    assertThat(stats.tokens()).isEqualTo(8L * TOKENS);
  }

  @Test
  void twoOriginsUseTheSameNodes() throws InterruptedException {
    holding("a", 1, 3);
    holding("b", 3, 6);
    Origin one = ready("o1", s -> s);
    Origin other = ready("o2", s -> s.withLocalLayers(2));
    List<List<int[]>> results = new ArrayList<>();
    Thread beside =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    results.add(generate(other.engine(), token -> {}));
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                });
    assertSame(generate(one.engine(), token -> {}));
    beside.join();
    assertSame(results.getFirst());
    one.close();
    other.close();
    awaitFree();
  }

  @Test
  void aSlowNodeIsLeft() throws InterruptedException {
    CountDownLatch stuck = new CountDownLatch(1);
    AtomicInteger steps = new AtomicInteger();
    holding("a", 1, 3);
    spoiled(
        "b",
        3,
        6,
        batch -> {
          if (steps.incrementAndGet() == 30) {
            try {
              stuck.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        });
    Origin origin = ready("o", s -> s.withStepTimeout(Duration.ofSeconds(1)));
    holding("c", 3, 6);
    try {
      assertSame(generate(origin.engine(), token -> {}));
      assertThat(origin.stats().recoveries()).isEqualTo(1);
      assertThat(origin.stats().expelled()).isEmpty();
    } finally {
      stuck.countDown();
    }
  }

  @Test
  void allThatIsRightPassesTheAudit() throws InterruptedException {
    holding("a", 1, 3);
    holding("b", 3, 6);
    holding("c", 3, 6);
    Origin origin = ready("o", s -> s.withAudit(1));
    assertSame(generate(origin.engine(), token -> {}));
    OriginStats stats = origin.stats();
    assertThat(stats.audits()).isEqualTo(8);
    assertThat(stats.auditsIncomplete()).isZero();
    assertThat(stats.lies()).isZero();
    assertThat(stats.expelled()).isEmpty();
    Awaitility.await()
        .untilAsserted(
            () ->
                assertThat(nodes).allSatisfy(node -> assertThat(node.state().passages()).isZero()));
  }

  @Test
  void aNodeThatDiesUnderAuditChangesNothing() throws InterruptedException {
    holding("a", 1, 3);
    holding("b", 3, 6);
    holding("c", 3, 6);
    Origin origin = ready("o", s -> s.withAudit(1));
    LayerNode victim = inUse(origin, "b", "c");
    AtomicBoolean killed = new AtomicBoolean();
    List<int[]> tokens =
        generate(
            origin.engine(),
            count -> {
              if (count >= 4 * TOKENS && killed.compareAndSet(false, true)) {
                Thread.ofPlatform().start(() -> Spoiled.kill(victim));
              }
            });
    assertSame(tokens);
    OriginStats stats = origin.stats();
    assertThat(stats.expelled()).isEmpty();
    assertThat(stats.lies()).isZero();
    assertThat(stats.audits() + stats.auditsIncomplete()).isGreaterThanOrEqualTo(4);
  }

  /** Changes one bit of one number in one step. */
  private static Consumer<Batch> lieAt(int step) {
    AtomicInteger steps = new AtomicInteger();
    return batch -> {
      if (steps.incrementAndGet() == step) {
        int at = (batch.rows - 1) * batch.width + 5;
        batch.hidden[at] = Float.intBitsToFloat(Float.floatToRawIntBits(batch.hidden[at]) ^ 1);
      }
    };
  }

  @Test
  void aLiarIsFoundByAnotherHolderAndExpelled() throws InterruptedException {
    holding("a", 1, 3);
    spoiled("b", 3, 6, lieAt(12));
    Origin origin = ready("o", s -> s.withAudit(1));
    holding("c", 3, 6);
    Awaitility.await().until(() -> origin.stats().nodes() == 3);
    assertSame(generate(origin.engine(), token -> {}));
    OriginStats stats = origin.stats();
    assertThat(stats.expelled()).containsExactly("b");
    assertThat(stats.lies()).isGreaterThanOrEqualTo(1);
    assertThat(stats.pipes().getFirst().stretches())
        .noneMatch(stretch -> stretch.node().equals("b"));
    Awaitility.await()
        .untilAsserted(
            () ->
                assertThat(nodes.getFirst().states())
                    .anySatisfy(state -> assertThat(state.expelled()).containsExactly("b")));
  }

  @Test
  void aLiarIsFoundByTheOriginItselfWhereNobodyElseHasItsLayers() throws InterruptedException {
    spoiled("a", 1, 3, lieAt(5));
    holding("b", 3, 6);
    Origin origin = ready("o", s -> s.withAudit(1));
    List<Generation> under = new ArrayList<>();
    for (Request request : requests()) {
      under.add(origin.engine().submit(request, (token, text, logprobs) -> {}));
    }
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> !origin.stats().expelled().isEmpty());
    assertThat(origin.stats().expelled()).containsExactly("a");
    assertThat(origin.waiting()).contains("layers 1-2 are missing (last at a: an audit found");
    holding("c", 1, 3);
    int revoked = 0;
    for (int i = 0; i < under.size(); i++) {
      Result result = under.get(i).await();
      if (result.finish() == Finish.REVOKED) {
        revoked++;
        assertThat(result.reason()).contains("gave a wrong result");
      } else {
        assertThat(result.tokens()).isEqualTo(expected.get(i));
      }
    }
    assertThat(revoked).isPositive();
    assertSame(generate(origin.engine(), token -> {}));
  }

  @Test
  void whoLiesInAReplayIsExpelledAndTheAccusedIsNot() throws InterruptedException {
    holding("a", 1, 3);
    holding("b", 3, 6);
    Origin origin = ready("o", s -> s.withAudit(1).withMaxPipes(1));
    spoiled("c", 1, 6, batch -> batch.hidden[7]++);
    for (int i = 0; i < 20 && origin.stats().expelled().isEmpty(); i++) {
      assertSame(generate(origin.engine(), token -> {})); // until the origin knows what c has
    }
    Awaitility.await()
        .untilAsserted(() -> assertThat(origin.stats().expelled()).containsExactly("c"));
  }

  @Test
  void nodesWithMemoryGetTheFileFromTheOrigin() throws InterruptedException {
    nodes.add(LayerNode.start(settings("m1", List.of(), 64 << 20)));
    nodes.add(LayerNode.start(settings("m2", List.of(), 64 << 20)));
    Origin origin = ready("o", s -> s);
    assertSame(generate(origin.engine(), token -> {}));
  }
}
