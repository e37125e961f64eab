package dev.millrace.cluster.origin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.OriginStats;
import dev.millrace.cluster.node.FaultyNodes;
import dev.millrace.cluster.node.LayerNode;
import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.internal.pipe.Batch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
@Tag("slow")
final class OriginTest extends LoopbackCluster {
  @Test
  void nodesGiveWhatOneProcessGives() throws InterruptedException {
    holding("a", 1, 3);
    holding("b", 3, 6);
    Origin origin = ready("o", s -> s);
    assertSame(generate(origin.engine(), token -> {}));
    OriginStats stats = origin.stats();
    assertThat(stats.traffic().tokens()).isEqualTo(8L * TOKENS);
    assertThat(stats.traffic().bytesSent()).isGreaterThan(64 * 4 * 8L * TOKENS);
    assertThat(stats.traffic().bytesReceived()).isGreaterThan(64 * 4 * 8L * TOKENS);
    assertThat(stats.pipeCounts().broken()).isZero();
    assertThat(nodes.getFirst().states())
        .filteredOn(state -> state.name().equals("o"))
        .allSatisfy(state -> assertThat(state.used()).as("its end and layer 0").isPositive())
        .hasSize(1);
    Awaitility.await()
        .untilAsserted(
            () ->
                assertThat(nodes)
                    .allSatisfy(node -> assertThat(node.state().sequences()).isZero()));
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
                Thread.ofPlatform().start(() -> FaultyNodes.kill(victim));
              }
            });
    assertThat(killed).isTrue();
    assertSame(tokens);
    Awaitility.await()
        .untilAsserted(() -> assertThat(origin.stats().pipeCounts().recoveries()).isEqualTo(1));
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
                assertThat(origin.waitingReason())
                    .isEqualTo("layers 3-5 are missing (no node had them)"));
    AtomicInteger readyCalls = new AtomicInteger();
    origin.onReady(readyCalls::incrementAndGet);
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
                                        assertThat(pipe.waitingReason())
                                            .contains("layers 3-5 are missing"))));
    assertThat(readyCalls).hasValue(0);
    holding("b", 3, 6);
    waiting.join();
    assertSame(results.getFirst());
    assertThat(readyCalls).hasValue(1);
    assertThat(origin.waitingReason()).isEmpty();
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
    assertThat(stats.pipeCounts().opened()).isGreaterThanOrEqualTo(2);
    assertThat(stats.pipeCounts().broken()).isZero();
    assertThat(stats.traffic().tokens()).isEqualTo(8L * TOKENS);
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
    faulty(
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
      assertThat(origin.stats().pipeCounts().recoveries()).isEqualTo(1);
      assertThat(origin.stats().expelled()).isEmpty();
    } finally {
      stuck.countDown();
    }
  }

  @Test
  void aNodeThatFailsEveryStepIsLeftAndNoSequenceEnds() throws InterruptedException {
    holding("a", 1, 3);
    faulty("b", 3, 6, OriginTest::fail);
    Origin origin = ready("o", s -> s);
    holding("c", 3, 6);
    Awaitility.await().until(() -> origin.stats().members() == 3);
    assertSame(generate(origin.engine(), token -> {}));
    assertThat(origin.stats().pipeCounts().broken()).isEqualTo(1);
    assertThat(origin.stats().nodes()).isEqualTo(2);
  }

  private static void fail(Batch batch) {
    throw new IllegalStateException("torn");
  }

  @Test
  @Timeout(30)
  void ifNoOtherNodeHasItsLayersTheSequencesEnd() throws InterruptedException {
    holding("a", 1, 3);
    faulty("b", 3, 6, OriginTest::fail);
    Origin origin = ready("o", s -> s);
    List<Generation> under = new ArrayList<>();
    for (GenerationRequest request : requests()) {
      under.add(origin.engine().submit(request, (token, text, logprobs) -> {}));
    }
    for (Generation generation : under) {
      GenerationResult result = generation.await();
      assertThat(result.finish()).isEqualTo(FinishReason.FAILED);
      assertThat(result.reason()).contains("node b, from layer 3 on").contains("torn");
    }
  }

  @Test
  void nodesWithMemoryGetTheFileFromTheOrigin() throws InterruptedException {
    nodes.add(LayerNode.start(settings("m1", List.of(), 64 << 20)));
    nodes.add(LayerNode.start(settings("m2", List.of(), 64 << 20)));
    Origin origin = ready("o", s -> s);
    assertSame(generate(origin.engine(), token -> {}));
  }
}
