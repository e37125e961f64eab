package dev.millrace.cluster.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.HeldLayers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pipes that open, are replaced, and give way to better ones. */
final class PipeCoordinatorTest {
  private final SimulatedNodes nodes = new SimulatedNodes(3);

  private void publishThreeNodes() {
    nodes.publish("a 1-5, b 5-9, c 5-9");
  }

  @Test
  void aPipeRunsWhenAllItsNodesHaveOpened() {
    nodes.silent.add("b");
    nodes.publish("a 1-5, b 5-9");
    assertThat(nodes.pipe(0)).isEqualTo("none");
    assertThat(nodes.waitingReason()).isEqualTo("pipe 0 opens; awaited: b");
    assertThat(nodes.coordinator.status().isReady()).isFalse();
    nodes.handle(new PlannerEvent.Opened("b", 1));
    assertThat(nodes.pipe(0)).isEqualTo("layers 0 here, 1-4 at a, 5-8 at b");
    assertThat(nodes.waitingReason()).isEmpty();
    assertThat(nodes.coordinator.status().isReady()).isTrue();
    assertThat(nodes.sent).containsExactly("OPEN a", "OPEN b");
  }

  @Test
  void listenersAreCalledWhenTheFirstPipeRuns() {
    List<String> readyCalls = new ArrayList<>();
    nodes.coordinator.status().onReady(() -> readyCalls.add("ready"));
    publishThreeNodes();
    assertThat(readyCalls).hasSize(1);
    nodes.publish("d 1-5");
    assertThat(nodes.pipe(1)).isEqualTo("layers 0 here, 1-4 at d, 5-8 at c");
    assertThat(readyCalls).as("for the second pipe nobody waits").hasSize(1);
  }

  @Test
  void aLostNodeIsReplacedByAnotherAtOnce() {
    publishThreeNodes();
    String lost = nodes.running.get(0).includes("b") ? "b" : "c";
    String other = lost.equals("b") ? "c" : "b";
    nodes.sent.clear();
    nodes.handle(new PlannerEvent.Lost(lost, "reset"));
    assertThat(nodes.pipe(0)).isEqualTo("layers 0 here, 1-4 at a, 5-8 at " + other);
    assertThat(nodes.sent).containsExactly("CLOSE a", "CLOSE " + lost, "OPEN a", "OPEN " + other);
    assertThat(nodes.counters.recoveries.sum()).isEqualTo(1);
    assertThat(nodes.counters.lost.sum()).isEqualTo(1);
  }

  @Test
  void aNodeThatCameBackIsUsedAtOnce() {
    nodes.publish("a 1-9");
    nodes.handle(new PlannerEvent.Lost("a", "reset"));
    nodes.remove("a");
    nodes.publish();
    assertThat(nodes.pipe(0)).isEqualTo("none");
    nodes.put(SimulatedNodes.node("a", 2).withLayers(0, 0, List.of(), List.of()));
    nodes.publish();
    nodes.put(
        SimulatedNodes.node("a", 2)
            .withLayers(
                0, 0, List.of(SimulatedNodes.holding(1, 9, HeldLayers.State.LOADED)), List.of()));
    nodes.publish();
    assertThat(nodes.pipe(0)).isEqualTo("layers 0 here, 1-8 at a");
  }

  @Test
  void aRestartedNodeBreaksItsPipe() {
    nodes.publish("a 1-9");
    long before = nodes.session(0);
    nodes.put(
        SimulatedNodes.node("a", 2)
            .withLayers(
                0, 0, List.of(SimulatedNodes.holding(1, 9, HeldLayers.State.LOADED)), List.of()));
    nodes.publish();
    assertThat(nodes.pipe(0)).isEqualTo("layers 0 here, 1-8 at a");
    assertThat(nodes.session(0)).isNotEqualTo(before);
    assertThat(nodes.running.get(0).plan().epoch()).isEqualTo(2);
  }

  @Test
  void aNodeMissingInTheNetworkStaysWhileItsLinkWorks() {
    nodes.publish("a 1-9");
    long before = nodes.session(0);
    nodes.remove("a");
    nodes.publish();
    nodes.advance(14_000);
    assertThat(nodes.session(0)).as("suspected in error").isEqualTo(before);
    nodes.publish("a 1-9");
    nodes.advance(60_000);
    assertThat(nodes.session(0)).isEqualTo(before);
    nodes.remove("a");
    nodes.publish();
    nodes.advance(15_100);
    assertThat(nodes.pipe(0)).isEqualTo("none");
    assertThat(nodes.waitingReason()).contains("layers 1-8 are missing (last at a, which is gone)");
  }

  @Test
  void nodesOfPipesAreCountedApartFromMembers() {
    publishThreeNodes();
    assertThat(nodes.coordinator.status().nodes()).isEqualTo(2);
    assertThat(nodes.coordinator.status().members()).isEqualTo(3);
  }

  @Test
  void adjacentStretchesOfOneNodeAreShownAsOne() {
    nodes.holds(
        "a",
        SimulatedNodes.holding(1, 4, HeldLayers.State.LOADED),
        SimulatedNodes.holding(4, 9, HeldLayers.State.LOADED));
    nodes.publish();
    assertThat(nodes.pipe(0)).isEqualTo("layers 0 here, 1-8 at a");
  }

  @Test
  void twoPipesShareNoNodeAndBreakApart() {
    publishThreeNodes();
    nodes.publish("d 1-5");
    PipeSession first = nodes.running.get(0);
    PipeSession second = nodes.running.get(1);
    assertThat(first.otherNodes()).doesNotContainAnyElementsOf(second.otherNodes());
    nodes.handle(new PlannerEvent.Lost("d", "reset"));
    nodes.remove("d");
    nodes.publish();
    assertThat(nodes.running.get(0)).isEqualTo(first);
    assertThat(nodes.pipe(1)).isEqualTo("none");
    assertThat(nodes.waitingReason()).as("one still runs").isEmpty();
  }

  @Test
  void onlyAnIdlePipeGivesWayToMore() {
    nodes.holds("a", 1, 5);
    nodes.holds("b", 5, 9);
    nodes.holds("d", 5, 9);
    nodes.put(
        SimulatedNodes.node("b", 1)
            .withLayers(
                0, 0, List.of(SimulatedNodes.holding(5, 7, HeldLayers.State.LOADED)), List.of()));
    nodes.put(
        SimulatedNodes.node("d", 1)
            .withLayers(
                0, 0, List.of(SimulatedNodes.holding(7, 9, HeldLayers.State.LOADED)), List.of()));
    nodes.publish();
    PipeSession first = nodes.running.get(0);
    assertThat(first.otherNodes()).containsExactly("a", "b", "d");
    nodes.holds("b", 5, 9);
    nodes.holds("c", 1, 5);
    nodes.publish("d 5-9");
    nodes.advance(3_000);
    assertThat(nodes.running).as("while sequences are in it").containsOnlyKeys(0);
    assertThat(nodes.running.get(0)).isEqualTo(first);
    nodes.idle.add(0);
    nodes.advance(3_000);
    assertThat(nodes.running).containsOnlyKeys(0, 1);
    assertThat(nodes.running.get(0).otherNodes())
        .hasSize(2)
        .doesNotContainAnyElementsOf(nodes.running.get(1).otherNodes());
    PipeSession now = nodes.running.get(0);
    nodes.idle.add(1);
    nodes.advance(10_000);
    assertThat(nodes.running.get(0)).as("no better plan, no change").isEqualTo(now);
  }

  @Test
  void aPipeWhoseLayersAreUnloadedIsPlannedAgain() {
    publishThreeNodes();
    String second = nodes.running.get(0).otherNodes().getLast();
    nodes.holds(second, new HeldLayers[0]);
    nodes.publish();
    nodes.advance(100);
    assertThat(nodes.pipe(0)).doesNotContain(second).contains("5-8");
  }

  @Test
  void closingClosesAllSessions() {
    publishThreeNodes();
    nodes.sent.clear();
    nodes.coordinator.close(nodes.now);
    assertThat(nodes.sent).hasSize(2).allMatch(sent -> sent.startsWith("CLOSE"));
    assertThat(nodes.pipe(0)).isEqualTo("none");
  }
}
