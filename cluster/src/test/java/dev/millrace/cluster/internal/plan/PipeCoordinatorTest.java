package dev.millrace.cluster.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.PipeState;
import dev.millrace.engine.internal.wheel.BatchLoop.InFlightGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class PipeCoordinatorTest {
  private final SimulatedNodes village = new SimulatedNodes(3);

  private void threeNodes() {
    village.has("a", 1, 5);
    village.has("b", 5, 9);
    village.has("c", 5, 9);
    village.tell();
  }

  private String waiting() {
    return village.planning.status().waitingReason();
  }

  @Test
  void aPipeRunsWhenAllItsNodesHaveOpened() {
    village.silent.add("b");
    village.has("a", 1, 5);
    village.has("b", 5, 9);
    village.tell();
    assertThat(village.pipe(0)).isEqualTo("none");
    assertThat(waiting()).isEqualTo("pipe 0 opens; awaited: b");
    assertThat(village.planning.status().isReady()).isFalse();
    village.tell(new PlannerEvent.Opened("b", 1));
    assertThat(village.pipe(0)).isEqualTo("layers 0 here, 1-4 at a, 5-8 at b");
    assertThat(waiting()).isEmpty();
    assertThat(village.planning.status().isReady()).isTrue();
    assertThat(village.sent).containsExactly("OPEN a", "OPEN b");
  }

  @Test
  void whoeverWaitsIsToldWhenTheFirstPipeRuns() {
    List<String> told = new ArrayList<>();
    village.planning.status().onReady(() -> told.add("ready"));
    threeNodes();
    assertThat(told).hasSize(1);
    village.has("d", 1, 5);
    village.tell();
    assertThat(village.pipe(1)).isEqualTo("layers 0 here, 1-4 at d, 5-8 at c");
    assertThat(told).as("for the second pipe nobody waits").hasSize(1);
  }

  @Test
  void aLostNodeIsReplacedByAnotherAtOnce() {
    threeNodes();
    String lost = village.running.get(0).includes("b") ? "b" : "c";
    String other = lost.equals("b") ? "c" : "b";
    village.sent.clear();
    village.tell(new PlannerEvent.Lost(lost, "reset"));
    assertThat(village.pipe(0)).isEqualTo("layers 0 here, 1-4 at a, 5-8 at " + other);
    assertThat(village.sent).containsExactly("CLOSE a", "CLOSE " + lost, "OPEN a", "OPEN " + other);
    assertThat(village.figures.recoveries.sum()).isEqualTo(1);
    assertThat(village.figures.lost.sum()).isEqualTo(1);
  }

  @Test
  void whereLayersAreMissingItSaysWhichAndWhoHadThem() {
    village.has("a", 1, 5);
    village.has("b", 5, 9);
    village.tell();
    village.tell(new PlannerEvent.Lost("b", "reset"));
    village.gone("b");
    village.tell();
    assertThat(village.pipe(0)).isEqualTo("none");
    assertThat(waiting()).isEqualTo("layers 5-8 are missing (last at b: the link is lost: reset)");
    PipeState announced = village.announced.getFirst();
    assertThat(announced.waitingReason()).isEqualTo(waiting());
    assertThat(announced.stretches()).hasSize(2);
    village.go(61_000);
    assertThat(waiting()).isEqualTo("layers 5-8 are missing (last at b, which is gone)");
    village.has("d", 5, 9);
    village.tell();
    assertThat(village.pipe(0)).isEqualTo("layers 0 here, 1-4 at a, 5-8 at d");
    assertThat(village.figures.recoveries.sum()).isEqualTo(1);
    assertThat(village.figures.lastRecoveryNanos.get()).isGreaterThan(TimeUnit.SECONDS.toNanos(60));
  }

  @Test
  void aNodeThatCameBackIsUsedAtOnce() {
    village.has("a", 1, 9);
    village.tell();
    village.tell(new PlannerEvent.Lost("a", "reset"));
    village.gone("a");
    village.tell();
    assertThat(village.pipe(0)).isEqualTo("none");
    village.put(SimulatedNodes.node("a", 2).withLayers(0, 0, List.of(), List.of()));
    village.tell();
    village.put(
        SimulatedNodes.node("a", 2)
            .withLayers(
                0, 0, List.of(SimulatedNodes.holding(1, 9, HeldLayers.State.LOADED)), List.of()));
    village.tell();
    assertThat(village.pipe(0)).isEqualTo("layers 0 here, 1-8 at a");
  }

  @Test
  void aNodeThatWasStartedAnewBreaksItsPipe() {
    village.has("a", 1, 9);
    village.tell();
    long before = village.session(0);
    village.put(
        SimulatedNodes.node("a", 2)
            .withLayers(
                0, 0, List.of(SimulatedNodes.holding(1, 9, HeldLayers.State.LOADED)), List.of()));
    village.tell();
    assertThat(village.pipe(0)).isEqualTo("layers 0 here, 1-8 at a");
    assertThat(village.session(0)).isNotEqualTo(before);
    assertThat(village.running.get(0).plan().epoch()).isEqualTo(2);
  }

  @Test
  void aNodeMissingInTheNetworkStaysWhileItsLinkWorks() {
    village.has("a", 1, 9);
    village.tell();
    long before = village.session(0);
    village.gone("a");
    village.tell();
    village.go(14_000);
    assertThat(village.session(0)).as("suspected in error").isEqualTo(before);
    village.has("a", 1, 9);
    village.tell();
    village.go(60_000);
    assertThat(village.session(0)).isEqualTo(before);
    village.gone("a");
    village.tell();
    village.go(15_100);
    assertThat(village.pipe(0)).isEqualTo("none");
    assertThat(waiting()).contains("layers 1-8 are missing (last at a, which is gone)");
  }

  @Test
  void aRefusalIsTriedAgainAfterAWhile() {
    village.refusing.put("a", "no memory");
    village.has("a", 1, 9);
    village.tell();
    assertThat(waiting()).isEqualTo("layers 1-8 are missing (last at a: refused: no memory)");
    village.refusing.clear();
    village.go(4_800);
    assertThat(village.pipe(0)).isEqualTo("none");
    village.go(300);
    assertThat(village.pipe(0)).isEqualTo("layers 0 here, 1-8 at a");
  }

  @Test
  void whoDoesNotOpenInTimeIsLeft() {
    threeNodes();
    village.tell(new PlannerEvent.Lost("b", "x"));
    village.tell(new PlannerEvent.Lost("c", "x"));
    village.silent.add("b");
    village.sent.clear();
    village.has("b", 5, 9);
    village.has("c", 5, 9);
    village.tell();
    village.go(1_100);
    String first = village.sent.contains("OPEN b") ? "b" : "c";
    assertThat(village.sent).contains("OPEN " + first);
    village.silent.add(first);
    village.go(10_100);
    assertThat(village.pipe(0)).isEqualTo("layers 0 here, 1-4 at a, 5-8 at c");
    assertThat(village.figures.broken.sum()).as("what did not run did not break").isEqualTo(2);
  }

  @Test
  void aLostNodeIsNotTriedUntilItIsSeenOrWouldBeKnownToBeGone() {
    village.has("a", 1, 9);
    village.tell();
    village.sent.clear();
    village.silent.add("a");
    village.tell(new PlannerEvent.Lost("a", "reset"));
    village.go(14_800);
    assertThat(village.sent).containsExactly("CLOSE a");
    village.go(300);
    assertThat(village.sent).containsExactly("CLOSE a", "OPEN a");
    village.go(10_000);
    assertThat(waiting()).contains("last at a: did not open in 10 s");
    village.has("a", 1, 9);
    village.silent.clear();
    village.tell();
    village.go(2_000);
    assertThat(village.pipe(0)).as("that was no fault of its work").contains("1-8 at a");
  }

  private PlannerEvent.Failed failure(List<String> accepted) {
    return new PlannerEvent.Failed(
        "b", village.session(0), "node b, from layer 5 on: torn", () -> accepted.add("b"));
  }

  @Test
  void whoFailsAStepIsLeftAndItsSequencesGoElsewhere() {
    village.has("a", 1, 5);
    village.has("b", 5, 9);
    village.tell();
    village.has("c", 5, 9);
    village.tell();
    List<String> accepted = new ArrayList<>();
    PlannerEvent.Failed first = failure(accepted);
    village.tell(first);
    village.tell(first);
    assertThat(village.pipe(0)).isEqualTo("layers 0 here, 1-4 at a, 5-8 at c");
    village.go(6_000);
    village.tell(new PlannerEvent.Lost("c", "reset"));
    village.gone("c");
    village.tell();
    assertThat(village.pipe(0)).contains("5-8 at b");
    village.has("d", 1, 9);
    village.tell();
    village.tell(failure(accepted));
    assertThat(accepted).as("others can do its work").isEmpty();
    assertThat(village.running.values()).noneMatch(session -> session.includes("b"));
  }

  @Test
  void whereNobodyElseCanASecondFailureEndsItsSequences() {
    village.has("a", 1, 5);
    village.has("b", 5, 9);
    village.tell();
    List<String> accepted = new ArrayList<>();
    village.tell(failure(accepted));
    assertThat(accepted).isEmpty();
    assertThat(waiting())
        .isEqualTo("layers 5-8 are missing (last at b: a step failed: from layer 5 on: torn)");
    village.go(5_100);
    PipeSession session = village.running.get(0);
    village.tell(failure(accepted));
    village.tell(failure(accepted));
    assertThat(accepted).hasSize(2);
    assertThat(village.running.get(0)).as("it is used on").isEqualTo(session);
    village.go(60_100);
    village.tell(failure(accepted));
    assertThat(accepted).as("that long ago is not again").hasSize(2);
    assertThat(village.pipe(0)).isEqualTo("none");
  }

  @Test
  void aNodeThatCannotBeAskedForLayersIsNotWaitedFor() {
    village.has("a", 1, 5);
    village.put(SimulatedNodes.node("m", 1).withLayers(5_000, 0, List.of(), List.of()));
    village.tell();
    village.go(5_100);
    assertThat(village.sent).containsExactly("LOAD m 5-9");
    assertThat(waiting()).isEqualTo("layers 5-8 are being loaded at m");
    village.tell(new PlannerEvent.Unreached("m", 0, "a", "what is it to him"));
    village.go(100);
    assertThat(waiting()).isEqualTo("layers 5-8 are being loaded at m");
    village.tell(new PlannerEvent.Unreached("m", 0, "", "not on its list"));
    village.go(100);
    assertThat(waiting())
        .isEqualTo(
            "layers 5-8 are missing (no node had them); "
                + "node m takes no layers: it could not be reached: not on its list");
    village.go(4_500);
    assertThat(village.sent).hasSize(1);
    village.go(3_000);
    assertThat(village.sent).hasSize(2);
  }

  @Test
  void thatNobodyHasTheMemoryIsSaid() {
    village.has("a", 1, 8);
    village.put(SimulatedNodes.node("m", 1).withLayers(100, 0, List.of(), List.of()));
    village.tell();
    assertThat(waiting())
        .isEqualTo(
            "layer 8 is missing (no node had it); a layer needs 1 KiB with its cache; free: "
                + "m 0 KiB; give nodes more --memory, or this server fewer --slots or a smaller "
                + "--ctx");
    village.put(SimulatedNodes.node("m", 1).withLayers(110, 0, List.of(), List.of()));
    village.tell();
    village.go(5_100);
    assertThat(waiting()).isEqualTo("layer 8 is being loaded at m");
  }

  @Test
  void whatCouldNotBeLoadedIsNotSaidToBeLoading() {
    village.has("a", 1, 5);
    NodeState free = SimulatedNodes.node("m", 1).withLayers(5_000, 0, List.of(), List.of());
    village.put(free);
    village.tell();
    village.go(3_100);
    assertThat(village.sent).containsExactly("LOAD m 5-9");
    village.put(
        free.withLayers(
            5_000, 0, List.of(SimulatedNodes.holding(5, 9, HeldLayers.State.FAILED)), List.of()));
    village.tell();
    assertThat(waiting())
        .isEqualTo(
            "layers 5-8 are missing (no node had them); node m could not load layers 5-8: full");
  }

  @Test
  void nodesOfPipesAreCountedApartFromMembers() {
    threeNodes();
    assertThat(village.planning.status().nodes()).isEqualTo(2);
    assertThat(village.planning.status().members()).isEqualTo(3);
  }

  @Test
  void stretchesOfOneNodeThatAdjoinAreToldAsOne() {
    village.has(
        "a",
        SimulatedNodes.holding(1, 4, HeldLayers.State.LOADED),
        SimulatedNodes.holding(4, 9, HeldLayers.State.LOADED));
    village.tell();
    assertThat(village.pipe(0)).isEqualTo("layers 0 here, 1-8 at a");
  }

  @Test
  void whoCannotBeReachedByAnotherIsLeft() {
    threeNodes();
    String second = village.running.get(0).otherNodes().getLast();
    village.tell(new PlannerEvent.Unreached(second, village.session(0), "a", "no route"));
    assertThat(village.pipe(0)).doesNotContain(second).contains("5-8");
    PipeSession now = village.running.get(0);
    village.tell(new PlannerEvent.Unreached("a", now.id(), "stranger", "what is it to him"));
    village.tell(new PlannerEvent.Unreached("a", 77, "", "of a session that is over"));
    village.tell(new PlannerEvent.Refused("a", 77, "of a session that is over"));
    village.tell(new PlannerEvent.Unreached("stranger", now.id(), "", "not in it"));
    assertThat(village.running.get(0)).isEqualTo(now);
  }

  @Test
  void whoKeepsAStepTooLongIsLeft() {
    threeNodes();
    PipeSession session = village.running.get(0);
    String second = session.otherNodes().getLast();
    village.away.put(0, List.of(new InFlightGroup(4, session.plan().epoch(), village.now)));
    village.sent.clear();
    village.go(59_900);
    assertThat(village.sent).isEmpty();
    village.go(200);
    assertThat(village.sent).containsExactly("PROBE a", "PROBE " + second);
    village.tell(
        new PlannerEvent.Probed(
            "a", session.id(), List.of(new PlannerEvent.StretchProgress(4, 4))));
    village.tell(
        new PlannerEvent.Probed(
            second, session.id(), List.of(new PlannerEvent.StretchProgress(4, 3))));
    assertThat(village.hungUp).isEmpty();
    village.go(50);
    assertThat(village.hungUp).as("whoever waits to send it more").containsExactly(second);
    assertThat(village.pipe(0)).doesNotContain(second).contains("5-8");
  }

  @Test
  void aLiarIsNeverPlannedAgainAndItsSequencesAreRevokedFirst() {
    threeNodes();
    String liar = village.running.get(0).otherNodes().getLast();
    village.tell(new PlannerEvent.Lied(List.of(liar), "it lied"));
    assertThat(village.revoked)
        .as("before its plan is over")
        .containsExactly("of " + liar + ": it lied, while there ran [0]");
    assertThat(village.hungUp).containsExactly(liar);
    assertThat(village.pipe(0)).doesNotContain(liar).contains("5-8");
    assertThat(village.expelled).containsExactly(liar);
    String other = village.running.get(0).otherNodes().getLast();
    village.tell(new PlannerEvent.Lost(other, "gone too"));
    village.gone(other);
    village.gone(liar);
    village.tell();
    village.has(liar, 5, 9);
    village.tell();
    village.go(600_000);
    assertThat(village.pipe(0)).isEqualTo("none");
    assertThat(village.planning.status().expelled()).containsExactly(liar);
    assertThat(village.planning.status().holders()).noneMatch(h -> h.node().equals(liar));
  }

  @Test
  void aLieThatIsFoundWhenTheLiarIsGoneRevokesAllTheSame() {
    threeNodes();
    String liar = village.running.get(0).otherNodes().getLast();
    village.tell(new PlannerEvent.Lost(liar, "gone"));
    assertThat(village.pipe(0)).doesNotContain(liar).contains("5-8");
    PipeSession now = village.running.get(0);
    village.tell(new PlannerEvent.Lied(List.of(liar), "it lied"));
    assertThat(village.revoked).hasSize(1);
    assertThat(village.running.get(0)).as("it has no part in it").isEqualTo(now);
  }

  @Test
  void twoPipesShareNoNodeAndBreakApart() {
    threeNodes();
    village.has("d", 1, 5);
    village.tell();
    PipeSession first = village.running.get(0);
    PipeSession second = village.running.get(1);
    assertThat(first.otherNodes()).doesNotContainAnyElementsOf(second.otherNodes());
    village.tell(new PlannerEvent.Lost("d", "reset"));
    village.gone("d");
    village.tell();
    assertThat(village.running.get(0)).isEqualTo(first);
    assertThat(village.pipe(1)).isEqualTo("none");
    assertThat(waiting()).as("one still runs").isEmpty();
  }

  @Test
  void onlyAnIdlePipeGivesWayToMore() {
    village.has("a", 1, 5);
    village.has("b", 5, 9);
    village.has("d", 5, 9);
    village.put(
        SimulatedNodes.node("b", 1)
            .withLayers(
                0, 0, List.of(SimulatedNodes.holding(5, 7, HeldLayers.State.LOADED)), List.of()));
    village.put(
        SimulatedNodes.node("d", 1)
            .withLayers(
                0, 0, List.of(SimulatedNodes.holding(7, 9, HeldLayers.State.LOADED)), List.of()));
    village.tell();
    PipeSession first = village.running.get(0);
    assertThat(first.otherNodes()).containsExactly("a", "b", "d");
    village.has("b", 5, 9);
    village.has("c", 1, 5);
    village.has("d", 5, 9);
    village.tell();
    village.go(3_000);
    assertThat(village.running).as("while sequences are in it").containsOnlyKeys(0);
    assertThat(village.running.get(0)).isEqualTo(first);
    village.idle.add(0);
    village.go(3_000);
    assertThat(village.running).containsOnlyKeys(0, 1);
    assertThat(village.running.get(0).otherNodes())
        .hasSize(2)
        .doesNotContainAnyElementsOf(village.running.get(1).otherNodes());
    PipeSession now = village.running.get(0);
    village.idle.add(1);
    village.go(10_000);
    assertThat(village.running.get(0)).as("no better plan, no change").isEqualTo(now);
  }

  @Test
  void aPipeWhoseLayersAreUnloadedIsMadeAnew() {
    threeNodes();
    String second = village.running.get(0).otherNodes().getLast();
    village.has(second, new HeldLayers[0]);
    village.tell();
    village.go(100);
    assertThat(village.pipe(0)).doesNotContain(second).contains("5-8");
  }

  @Test
  void nodesWithMemoryAreAskedForWhatIsMissingOnce() {
    village.has("a", 1, 5);
    NodeState free = SimulatedNodes.node("m", 1).withLayers(5_000, 0, List.of(), List.of());
    village.put(free);
    village.tell();
    assertThat(village.sent).as("it may not know yet who has the file").isEmpty();
    village.go(3_100);
    assertThat(village.sent).containsExactly("LOAD m 5-9");
    village.tell();
    village.go(5_000);
    assertThat(village.sent).as("it may not have said so yet").hasSize(1);
    village.put(
        free.withLayers(
            5_000,
            400,
            List.of(SimulatedNodes.holding(5, 9, HeldLayers.State.LOADING)),
            List.of()));
    village.tell();
    assertThat(waiting()).isEqualTo("layers 5-8 are being loaded at m");
    village.put(
        free.withLayers(
            5_000, 400, List.of(SimulatedNodes.holding(5, 9, HeldLayers.State.LOADED)), List.of()));
    village.tell();
    assertThat(village.pipe(0)).isEqualTo("layers 0 here, 1-4 at a, 5-8 at m");
  }

  @Test
  void idleLayersOfAnotherModelLeaveRoom() {
    village.has("a", 1, 5);
    HeldLayers other =
        new HeldLayers("other", "x.gguf", 9, 0, 9, HeldLayers.State.LOADED, false, 900, 0, "");
    NodeState full = SimulatedNodes.node("m", 1).withLayers(1_000, 900, List.of(other), List.of());
    village.put(full);
    village.tell();
    village.go(5_000);
    assertThat(village.sent).as("in use by a session").isEmpty();
    HeldLayers idle =
        new HeldLayers("other", "x.gguf", 9, 0, 9, HeldLayers.State.LOADED, true, 900, 0, "");
    village.put(full.withLayers(1_000, 900, List.of(idle), List.of()));
    village.tell();
    village.go(5_000);
    assertThat(village.sent).containsExactly("LOAD m 5-9");
  }

  @Test
  void whyANodeWillNotHoldLayersIsSaid() {
    village.has("a", 1, 5);
    NodeState free = SimulatedNodes.node("m", 1).withLayers(5_000, 0, List.of(), List.of());
    village.put(free);
    village.tell();
    village.go(3_100);
    assertThat(village.sent).containsExactly("LOAD m 5-9");
    village.tell(new PlannerEvent.Refused("m", 0, "another model has this name"));
    village.go(100);
    assertThat(waiting())
        .contains("layers 5-8 are missing")
        .contains("node m takes no layers: another model has this name");
    village.go(4_500);
    assertThat(village.sent).as("it is left alone for a while").hasSize(1);
    village.go(3_000);
    assertThat(village.sent).hasSize(2);
    village.put(
        free.withLayers(
            5_000,
            400,
            List.of(SimulatedNodes.holding(5, 9, HeldLayers.State.LOADING)),
            List.of()));
    village.tell();
    assertThat(waiting()).isEqualTo("layers 5-8 are being loaded at m");
  }

  @Test
  void nothingIsSaidToBeMissingBeforeAPlanWasMadeOfWhatIsHere() {
    assertThat(waiting()).isEqualTo("looking for nodes");
    village.tell();
    village.go(100);
    assertThat(waiting()).as("nobody but us").isEqualTo("looking for nodes");
    village.has("a", 1, 5);
    village.tell();
    assertThat(waiting()).isEqualTo("layers 5-8 are missing (no node had them)");
    village.has("b", 5, 9);
    village.silent.add("b");
    village.hear();
    village.go(20);
    assertThat(waiting()).isEqualTo("layers 5-8 are missing (no node had them)");
    village.go(50);
    assertThat(waiting()).isEqualTo("pipe 0 opens; awaited: b");
  }

  @Test
  void aNodeThatFailedToLoadIsAskedAgainLaterAndLater() {
    village.has("a", 1, 5);
    NodeState free = SimulatedNodes.node("m", 1).withLayers(5_000, 0, List.of(), List.of());
    village.put(
        free.withLayers(
            5_000, 0, List.of(SimulatedNodes.holding(5, 9, HeldLayers.State.FAILED)), List.of()));
    village.tell();
    assertThat(village.sent).isEmpty();
    assertThat(waiting()).contains("node m could not load layers 5-8: full");
    village.go(4_000);
    assertThat(village.sent).isEmpty();
    village.go(2_500);
    assertThat(village.sent).containsExactly("LOAD m 5-9");
    village.go(8_000);
    assertThat(village.sent).hasSize(1);
    village.go(4_000);
    assertThat(village.sent).hasSize(2);
    village.go(14_000);
    assertThat(village.sent).hasSize(2);
  }

  @Test
  void nodesOfAnotherArithmeticOrFileAreNotUsed() {
    HostPort somewhere = new HostPort("127.0.0.1", 1);
    village.put(
        NodeState.of("a", 1, 1, 2, somewhere, somewhere)
            .withLayers(
                0,
                0,
                List.of(SimulatedNodes.holding(1, 9, HeldLayers.State.LOADED)),
                List.of()));
    HeldLayers namesake =
        new HeldLayers("other", "model.gguf", 9, 1, 9, HeldLayers.State.LOADED, false, 1, 0, "");
    village.has("b", namesake);
    village.tell();
    assertThat(village.pipe(0)).isEqualTo("none");
    assertThat(waiting())
        .contains("node a is not used: it computes by numerics 2, we by 1")
        .contains("node b is not used: its model.gguf is another model of the same name (SHA-256 ");
  }

  @Test
  void theEndClosesAllSessions() {
    threeNodes();
    village.sent.clear();
    village.planning.close(village.now);
    assertThat(village.sent).hasSize(2).allMatch(sent -> sent.startsWith("CLOSE"));
    assertThat(village.pipe(0)).isEqualTo("none");
  }
}
