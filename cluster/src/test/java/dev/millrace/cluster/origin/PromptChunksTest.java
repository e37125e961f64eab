package dev.millrace.cluster.origin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.OriginSettings;
import dev.millrace.cluster.node.FaultyNodes;
import dev.millrace.cluster.node.LayerNode;
import dev.millrace.engine.Engine;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.Sampling;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The nodes of a pipe work on consecutive chunks of one prompt at the same time. */
@Timeout(180)
@Tag("slow")
final class PromptChunksTest extends LoopbackCluster {
  private static final EngineSettings LONG = SETTINGS.withContext(256);
  private static final GenerationRequest REQUEST =
      GenerationRequest.of(new Random(SEED).ints(220, 3, 320).toArray(), Sampling.greedy(), 20)
          .ignoringEnd();

  private final CountDownLatch secondChunk = new CountDownLatch(2); // steps of node a
  private final AtomicBoolean together = new AtomicBoolean();

  private static int[] alone() throws InterruptedException {
    try (Engine engine = Engine.open(file, LONG)) {
      return tokens(engine);
    }
  }

  private static int[] tokens(Engine engine) throws InterruptedException {
    GenerationResult result = engine.submit(REQUEST, (token, text, logprobs) -> {}).await();
    assertThat(result.finish()).as(result.reason()).isEqualTo(FinishReason.LENGTH);
    return result.tokens();
  }

  private Origin open(UnaryOperator<OriginSettings> change) {
    OriginSettings settings =
        OriginSettings.of(network("o"), file, LONG).withCache(directory.resolve("hashes"));
    Origin origin = Origin.open(change.apply(settings));
    origins.add(origin);
    await(origin, 1);
    return origin;
  }

  /** Holds the first chunk at a node until node a has computed the second. */
  private void holdFirstChunk() {
    if (together.get()) {
      return;
    }
    try {
      together.set(secondChunk.await(20, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aNodeComputesTheSecondChunkWhileTheNextHasTheFirst() throws InterruptedException {
    faulty("a", 1, 3, batch -> secondChunk.countDown());
    faulty("b", 3, 6, batch -> holdFirstChunk());
    for (double rate : List.of(0.0, 1.0)) {
      Origin origin = open(s -> s.withAudit(rate));
      assertThat(tokens(origin.engine())).isEqualTo(alone());
      assertThat(origin.stats().pipeCounts().broken()).isZero();
      origin.close();
    }
    assertThat(together).as("both chunks were in flight together").isTrue();
  }

  @Test
  void aNodeThatDiesBetweenTwoChunksChangesNothing() throws InterruptedException {
    AtomicReference<LayerNode> victim = new AtomicReference<>();
    AtomicBoolean killed = new AtomicBoolean();
    faulty("a", 1, 3, batch -> secondChunk.countDown());
    victim.set(
        faulty(
            "b",
            3,
            6,
            batch -> {
              holdFirstChunk();
              if (killed.compareAndSet(false, true)) {
                Thread.ofPlatform().start(() -> FaultyNodes.kill(victim.get()));
              }
            }));
    Origin origin = open(s -> s);
    holding("c", 3, 6);
    assertThat(tokens(origin.engine())).isEqualTo(alone());
    assertThat(together).isTrue();
    assertThat(killed).isTrue();
    assertThat(origin.stats().pipeCounts().recoveries()).isEqualTo(1);
  }
}
