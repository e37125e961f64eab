package dev.millrace.cluster.origin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.OriginSettings;
import dev.millrace.cluster.OriginStats;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.protocol.AuditRecords;
import dev.millrace.cluster.node.FaultyNodes;
import dev.millrace.cluster.node.LayerNode;
import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.ForgedFrames;
import dev.millrace.engine.internal.pipe.NextComputation;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Audits of nodes that are right, that lie, and that would rather not be asked. */
@Timeout(180)
@Tag("slow")
final class OriginAuditTest extends LoopbackCluster {
  @Test
  void allThatIsRightPassesTheAudit() throws InterruptedException {
    holding("a", 1, 3);
    holding("b", 3, 6);
    holding("c", 3, 6);
    Origin origin = ready("o", s -> s.withAudit(1));
    assertSame(generate(origin.engine(), token -> {}));
    OriginStats stats = origin.stats();
    assertThat(stats.auditCounts().done()).isEqualTo(8);
    assertThat(stats.auditCounts().incomplete()).isZero();
    assertThat(stats.auditCounts().lies()).isZero();
    assertThat(stats.expelled()).isEmpty();
    Awaitility.await()
        .untilAsserted(
            () ->
                assertThat(nodes)
                    .allSatisfy(node -> assertThat(node.state().sequences()).isZero()));
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
                Thread.ofPlatform().start(() -> FaultyNodes.kill(victim));
              }
            });
    assertSame(tokens);
    OriginStats stats = origin.stats();
    assertThat(stats.expelled()).isEmpty();
    assertThat(stats.auditCounts().lies()).isZero();
    assertThat(stats.auditCounts().done() + stats.auditCounts().incomplete())
        .isGreaterThanOrEqualTo(4);
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
  void aNodeWithWrongResultsIsFoundByAnotherHolderAndExpelled() throws InterruptedException {
    holding("a", 1, 3);
    faulty("b", 3, 6, lieAt(12));
    Origin origin = ready("o", s -> s.withAudit(1));
    holding("c", 3, 6);
    Awaitility.await().until(() -> origin.stats().members() == 3);
    assertSame(generate(origin.engine(), token -> {}));
    OriginStats stats = origin.stats();
    assertThat(stats.expelled()).containsExactly("b");
    assertThat(stats.auditCounts().lies()).isGreaterThanOrEqualTo(1);
    assertThat(stats.pipes().getFirst().stretches())
        .noneMatch(stretch -> stretch.node().equals("b"));
    Awaitility.await()
        .untilAsserted(
            () ->
                assertThat(nodes.getFirst().states())
                    .anySatisfy(state -> assertThat(state.expelled()).containsExactly("b")));
  }

  @Test
  void aNodeWithWrongResultsIsFoundByTheOriginIfNoOtherNodeHasItsLayers()
      throws InterruptedException {
    faulty("a", 1, 3, lieAt(5));
    holding("b", 3, 6);
    Origin origin = ready("o", s -> s.withAudit(1));
    List<Generation> under = new ArrayList<>();
    for (GenerationRequest request : requests()) {
      under.add(origin.engine().submit(request, (token, text, logprobs) -> {}));
    }
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> !origin.stats().expelled().isEmpty());
    assertThat(origin.stats().expelled()).containsExactly("a");
    assertThat(origin.waitingReason())
        .contains("layers 1-2 are missing (last at a: an audit found");
    holding("c", 1, 3);
    int revoked = 0;
    for (int i = 0; i < under.size(); i++) {
      GenerationResult result = under.get(i).await();
      if (result.finish() == FinishReason.REVOKED) {
        revoked++;
        assertThat(result.reason()).contains("returned a wrong result");
      } else {
        assertThat(result.tokens()).isEqualTo(expected.get(i));
      }
    }
    assertThat(revoked).isPositive();
    assertSame(generate(origin.engine(), token -> {}));
  }

  @Test
  void aNodeWithAWrongReplayIsExpelledAndTheAuditedNodeIsNot() throws InterruptedException {
    holding("a", 1, 3);
    holding("b", 3, 6);
    Origin origin = ready("o", s -> s.withAudit(1).withMaxPipes(1));
    faulty("c", 1, 6, batch -> batch.hidden[7]++);
    for (int i = 0; i < 20 && origin.stats().expelled().isEmpty(); i++) {
      assertSame(generate(origin.engine(), token -> {})); // until the origin knows what c has
    }
    Awaitility.await()
        .untilAsserted(() -> assertThat(origin.stats().expelled()).containsExactly("c"));
  }

  /** Changes one bit of one number in every row that is further than a position. */
  private static Consumer<Batch> wrongBeyond(int position) {
    return batch -> {
      for (int row = 0; row < batch.rows; row++) {
        if (batch.position[row] > position) {
          int at = row * batch.width + 5;
          batch.hidden[at] = Float.intBitsToFloat(Float.floatToRawIntBits(batch.hidden[at]) ^ 1);
        }
      }
    };
  }

  @Test
  void aNodeWithWrongResultsThatDiesWhenItIsAskedIsStillExpelled() throws InterruptedException {
    holding("a", 1, 3);
    LayerNode faultyNode = faulty("b", 3, 6, wrongBeyond(20));
    AtomicBoolean killed = new AtomicBoolean();
    FaultyNodes.forgeMessages(
        faultyNode,
        (to, message) -> {
          if (message.kind() == Kind.RECORDS && killed.compareAndSet(false, true)) {
            Thread.ofPlatform().start(() -> FaultyNodes.kill(faultyNode));
          }
          return killed.get() ? List.of() : List.of(message);
        });
    Origin origin = ready("o", s -> s.withAudit(1));
    holding("c", 3, 6);
    assertSame(generate(origin.engine(), token -> {}));
    assertThat(killed).isTrue();
    assertThat(origin.stats().auditCounts().incomplete()).isPositive();
  }

  @Test
  void aNodeThatWithholdsItsRecordsIsExpelledTheSecondTime() throws InterruptedException {
    holding("a", 1, 3);
    LayerNode faultyNode = faulty("b", 3, 6, wrongBeyond(20));
    FaultyNodes.forgeMessages(
        faultyNode,
        (to, message) ->
            message.kind() == Kind.RECORDS
                ? List.of(
                    new NodeMessage(
                        Kind.RECORDS,
                        message.session(),
                        new AuditRecords(message.body().getLong(0), List.of()).encode()))
                : List.of(message));
    Origin origin = ready("o", s -> s.withAudit(1));
    GenerationRequest request = requests().get(3);
    for (int i = 0; i < 2; i++) {
      GenerationResult result =
          origin.engine().submit(request, (token, text, logprobs) -> {}).await();
      assertThat(result.finish()).as("time %d", i).isEqualTo(FinishReason.REVOKED);
      assertThat(result.reason()).contains("incomplete records");
    }
    Awaitility.await()
        .untilAsserted(() -> assertThat(origin.stats().expelled()).containsExactly("b"));
    holding("c", 3, 6);
    assertSame(generate(origin.engine(), token -> {}));
  }

  @Test
  void aNodeThatForgesTheLastFrameIsLeftAndTheLastNodeIsNot() throws InterruptedException {
    LayerNode forger = holding("a", 1, 3);
    AtomicInteger forged = new AtomicInteger();
    FaultyNodes.forgeMessages(
        forger,
        (to, message) -> {
          if (message.kind() != Kind.FRAME || !to.equals("b") || forged.get() >= 3) {
            return List.of(message);
          }
          forged.incrementAndGet();
          ByteBuffer last = ForgedFrames.step(message.body().duplicate(), NextComputation.HEAD);
          FaultyNodes.send(forger, "o", new NodeMessage(Kind.FRAME, message.session(), last));
          return List.of(); // the true one is late
        });
    holding("b", 3, 6);
    Origin origin = ready("o", s -> s.withAudit(1));
    holding("c", 1, 3);
    assertSame(generate(origin.engine(), token -> {}));
    assertThat(forged.get()).isPositive();
    assertThat(origin.stats().expelled()).isEmpty();
    assertThat(origin.stats().pipeCounts().broken()).isPositive();
  }

  @Test
  void aWrongResultAfterABreakIsFound() throws InterruptedException {
    holding("a", 1, 3);
    LayerNode first = holding("b", 3, 6);
    Origin origin = ready("o", s -> s.withAudit(1).withMaxPipes(1));
    faulty("c", 3, 6, wrongBeyond(40));
    AtomicBoolean killed = new AtomicBoolean();
    List<Generation> under = new ArrayList<>();
    for (GenerationRequest request : requests()) {
      under.add(
          origin
              .engine()
              .submit(
                  request,
                  (token, text, logprobs) -> {
                    if (killed.compareAndSet(false, true)) {
                      Thread.ofPlatform().start(() -> FaultyNodes.kill(first));
                    }
                  }));
    }
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> !origin.stats().expelled().isEmpty());
    assertThat(origin.stats().expelled()).containsExactly("c");
    holding("d", 3, 6);
    for (int i = 0; i < under.size(); i++) {
      GenerationResult result = under.get(i).await();
      if (result.finish() != FinishReason.REVOKED) {
        assertThat(result.tokens()).as("request %d, seed %d", i, SEED).isEqualTo(expected.get(i));
      }
    }
    assertSame(generate(origin.engine(), token -> {}));
  }

  @Test
  void aReplacedFileAccusesNoNode() throws Exception {
    holding("a", 1, 3);
    holding("b", 3, 6);
    Path copy = Files.copy(file, directory.resolve("copy.gguf"));
    Origin origin =
        ready(
            "o",
            s ->
                OriginSettings.of(s.network(), copy, s.engine())
                    .withCache(directory.resolve("hashes2"))
                    .withAudit(1));
    Path other = model("other.gguf", SEED + 1);
    Files.move(other, copy, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    assertSame(generate(origin.engine(), token -> {}));
    assertThat(origin.stats().auditCounts().done()).isEqualTo(8);
    assertThat(origin.stats().expelled()).isEmpty();
  }

  @Test
  void anOverwrittenFileAccusesNoNode() throws Exception {
    holding("a", 1, 3);
    holding("b", 3, 6);
    Path copy = Files.copy(file, directory.resolve("overwritten.gguf"));
    Origin origin =
        ready(
            "o",
            s ->
                OriginSettings.of(s.network(), copy, s.engine())
                    .withCache(directory.resolve("hashes3"))
                    .withAudit(1));
    Files.write(copy, Files.readAllBytes(model("another.gguf", SEED + 2)));
    Files.setLastModifiedTime(copy, FileTime.fromMillis(System.currentTimeMillis() + 10_000));
    GenerationResult result =
        origin.engine().submit(requests().getFirst(), (token, text, logprobs) -> {}).await();
    assertThat(result.finish()).isEqualTo(FinishReason.REVOKED);
    assertThat(result.reason()).contains("no verdict", "has changed since it was opened");
    assertThat(origin.stats().expelled()).isEmpty();
  }
}
