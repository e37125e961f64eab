package dev.millrace.cluster.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.PipeState;
import dev.millrace.engine.numerics.SupportedNumerics;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Missing layers: who is asked to load them, and what the origin says meanwhile. */
final class PipeCoordinatorRequestsTest {
  private final SimulatedNodes nodes = new SimulatedNodes(3);

  @Test
  void missingLayersAreReportedWithTheirLastNode() {
    nodes.publish("a 1-5, b 5-9");
    nodes.handle(new PlannerEvent.Lost("b", "reset"));
    nodes.remove("b");
    nodes.publish();
    assertThat(nodes.pipe(0)).isEqualTo("none");
    assertThat(nodes.waitingReason())
        .isEqualTo("layers 5-8 are missing (last at b: the link is lost: reset)");
    PipeState announced = nodes.announced.getFirst();
    assertThat(announced.waitingReason()).isEqualTo(nodes.waitingReason());
    assertThat(announced.stretches()).hasSize(2);
    nodes.advance(61_000);
    assertThat(nodes.waitingReason())
        .isEqualTo("layers 5-8 are missing (last at b, which is gone)");
    nodes.publish("d 5-9");
    assertThat(nodes.pipe(0)).isEqualTo("layers 0 here, 1-4 at a, 5-8 at d");
    assertThat(nodes.counters.recoveries.sum()).isEqualTo(1);
    assertThat(nodes.counters.lastRecoveryNanos.get()).isGreaterThan(TimeUnit.SECONDS.toNanos(60));
  }

  @Test
  void aNodeThatCannotBeAskedForLayersIsNotWaitedFor() {
    nodes.holds("a", 1, 5);
    nodes.free("m", 5_000);
    nodes.publish();
    nodes.advance(5_100);
    assertThat(nodes.sent).containsExactly("LOAD m 5-9");
    assertThat(nodes.waitingReason()).isEqualTo("layers 5-8 are being loaded at m");
    nodes.handle(new PlannerEvent.Unreached("m", 0, "a", "what is it to him"));
    nodes.advance(100);
    assertThat(nodes.waitingReason()).isEqualTo("layers 5-8 are being loaded at m");
    nodes.handle(new PlannerEvent.Unreached("m", 0, "", "not on its list"));
    nodes.advance(100);
    assertThat(nodes.waitingReason())
        .isEqualTo(
            "layers 5-8 are missing (no node had them); "
                + "node m loads no layers: it could not be reached: not on its list");
    nodes.advance(4_500);
    assertThat(nodes.sent).hasSize(1);
    nodes.advance(3_000);
    assertThat(nodes.sent).hasSize(2);
  }

  @Test
  void aLackOfMemoryIsReported() {
    nodes.holds("a", 1, 8);
    nodes.free("m", 100);
    nodes.publish();
    assertThat(nodes.waitingReason())
        .isEqualTo(
            "layer 8 is missing (no node had it); a layer needs 1 KiB with its cache; free: "
                + "m 0 KiB; give nodes more --memory, or this server fewer --slots or a smaller "
                + "--ctx");
    nodes.free("m", 110);
    nodes.publish();
    nodes.advance(5_100);
    assertThat(nodes.waitingReason()).isEqualTo("layer 8 is being loaded at m");
  }

  @Test
  void failedLayersAreNotReportedAsLoading() {
    nodes.holds("a", 1, 5);
    nodes.free("m", 5_000);
    nodes.publish();
    nodes.advance(3_100);
    assertThat(nodes.sent).containsExactly("LOAD m 5-9");
    nodes.loads(5, 9, HeldLayers.State.FAILED);
    nodes.publish();
    assertThat(nodes.waitingReason())
        .isEqualTo(
            "layers 5-8 are missing (no node had them); node m could not load layers 5-8: full");
  }

  @Test
  void nodesWithMemoryAreAskedForWhatIsMissingOnce() {
    nodes.holds("a", 1, 5);
    nodes.free("m", 5_000);
    nodes.publish();
    assertThat(nodes.sent).as("it may not know yet who has the file").isEmpty();
    nodes.advance(3_100);
    assertThat(nodes.sent).containsExactly("LOAD m 5-9");
    nodes.publish();
    nodes.advance(5_000);
    assertThat(nodes.sent).as("it may not have said so yet").hasSize(1);
    nodes.loads(5, 9, HeldLayers.State.LOADING);
    nodes.publish();
    assertThat(nodes.waitingReason()).isEqualTo("layers 5-8 are being loaded at m");
    nodes.loads(5, 9, HeldLayers.State.LOADED);
    nodes.publish();
    assertThat(nodes.pipe(0)).isEqualTo("layers 0 here, 1-4 at a, 5-8 at m");
  }

  @Test
  void idleLayersOfAnotherModelLeaveRoom() {
    nodes.holds("a", 1, 5);
    HeldLayers other =
        new HeldLayers("other", "x.gguf", 9, 0, 9, HeldLayers.State.LOADED, false, 900, 0, "");
    NodeState full = SimulatedNodes.node("m", 1).withLayers(1_000, 900, List.of(other), List.of());
    nodes.put(full);
    nodes.publish();
    nodes.advance(5_000);
    assertThat(nodes.sent).as("in use by a session").isEmpty();
    HeldLayers idle =
        new HeldLayers("other", "x.gguf", 9, 0, 9, HeldLayers.State.LOADED, true, 900, 0, "");
    nodes.put(full.withLayers(1_000, 900, List.of(idle), List.of()));
    nodes.publish();
    nodes.advance(5_000);
    assertThat(nodes.sent).containsExactly("LOAD m 5-9");
  }

  @Test
  void theReasonOfANodeThatLoadsNoLayersIsReported() {
    nodes.holds("a", 1, 5);
    nodes.free("m", 5_000);
    nodes.publish();
    nodes.advance(3_100);
    assertThat(nodes.sent).containsExactly("LOAD m 5-9");
    nodes.handle(new PlannerEvent.Refused("m", 0, "another model has this name"));
    nodes.advance(100);
    assertThat(nodes.waitingReason())
        .contains("layers 5-8 are missing")
        .contains("node m loads no layers: another model has this name");
    nodes.advance(4_500);
    assertThat(nodes.sent).as("it is left alone for a while").hasSize(1);
    nodes.advance(3_000);
    assertThat(nodes.sent).hasSize(2);
    nodes.loads(5, 9, HeldLayers.State.LOADING);
    nodes.publish();
    assertThat(nodes.waitingReason()).isEqualTo("layers 5-8 are being loaded at m");
  }

  @Test
  void noLayerIsReportedMissingBeforeAPlanIsMade() {
    assertThat(nodes.waitingReason()).isEqualTo("looking for nodes");
    nodes.publish();
    nodes.advance(100);
    assertThat(nodes.waitingReason()).as("nobody but us").isEqualTo("looking for nodes");
    nodes.publish("a 1-5");
    assertThat(nodes.waitingReason()).isEqualTo("layers 5-8 are missing (no node had them)");
    nodes.holds("b", 5, 9);
    nodes.silent.add("b");
    nodes.publishWithoutTick();
    nodes.advance(20);
    assertThat(nodes.waitingReason()).isEqualTo("layers 5-8 are missing (no node had them)");
    nodes.advance(50);
    assertThat(nodes.waitingReason()).isEqualTo("pipe 0 opens; awaited: b");
  }

  @Test
  void aNodeThatFailedToLoadIsAskedAgainLaterAndLater() {
    nodes.holds("a", 1, 5);
    nodes.loads(5, 9, HeldLayers.State.FAILED);
    nodes.publish();
    assertThat(nodes.sent).isEmpty();
    assertThat(nodes.waitingReason()).contains("node m could not load layers 5-8: full");
    nodes.advance(4_000);
    assertThat(nodes.sent).isEmpty();
    nodes.advance(2_500);
    assertThat(nodes.sent).containsExactly("LOAD m 5-9");
    nodes.advance(8_000);
    assertThat(nodes.sent).hasSize(1);
    nodes.advance(4_000);
    assertThat(nodes.sent).hasSize(2);
    nodes.advance(14_000);
    assertThat(nodes.sent).hasSize(2);
  }

  @Test
  void aNodeWithAnotherVersionOfAFormatIsUsedForLayersWithoutIt() {
    HostPort somewhere = new HostPort("127.0.0.1", 1);
    for (String format : List.of("q6_k", "q8_0")) {
      SupportedNumerics numerics = SupportedNumerics.CURRENT.with(format, Set.of(2));
      nodes.put(
          NodeState.of("a", 1, 1, numerics, somewhere, somewhere)
              .withLayers(
                  0, 0, List.of(SimulatedNodes.holding(1, 9, HeldLayers.State.LOADED)), List.of()));
      nodes.publish();
      if (format.equals("q6_k")) {
        assertThat(nodes.sent).isEmpty();
        assertThat(nodes.waitingReason())
            .contains(
                "node a is not used: it has version 2 of the arithmetic of Q6_K weights, this"
                    + " origin uses 1");
      }
    }
    assertThat(nodes.pipe(0)).isEqualTo("layers 0 here, 1-8 at a");
  }

  @Test
  void nodesOfAnotherArithmeticOrFileAreNotUsed() {
    HostPort somewhere = new HostPort("127.0.0.1", 1);
    nodes.put(
        NodeState.of("a", 1, 1, SupportedNumerics.of(2), somewhere, somewhere)
            .withLayers(
                0, 0, List.of(SimulatedNodes.holding(1, 9, HeldLayers.State.LOADED)), List.of()));
    HeldLayers namesake =
        new HeldLayers("other", "model.gguf", 9, 1, 9, HeldLayers.State.LOADED, false, 1, 0, "");
    nodes.holds("b", namesake);
    nodes.publish();
    assertThat(nodes.pipe(0)).isEqualTo("none");
    assertThat(nodes.waitingReason())
        .contains("node a is not used: it has version 2 of the arithmetic, this origin uses 1")
        .contains("node b is not used: its model.gguf is another model of the same name (SHA-256 ");
  }
}
