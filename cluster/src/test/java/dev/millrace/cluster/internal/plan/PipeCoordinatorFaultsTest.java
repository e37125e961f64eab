package dev.millrace.cluster.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.internal.wheel.BatchLoop.InFlightGroup;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nodes that fail, are slow or lie, and how long they are left out. */
final class PipeCoordinatorFaultsTest {
  private final SimulatedNodes nodes = new SimulatedNodes(3);

  private void publishThreeNodes() {
    nodes.publish("a 1-5, b 5-9, c 5-9");
  }

  @Test
  void aRefusalIsTriedAgainAfterAWhile() {
    nodes.refusing.put("a", "no memory");
    nodes.publish("a 1-9");
    assertThat(nodes.waitingReason())
        .isEqualTo("layers 1-8 are missing (last at a: refused: no memory)");
    nodes.refusing.clear();
    nodes.advance(4_800);
    assertThat(nodes.pipe(0)).isEqualTo("none");
    nodes.advance(300);
    assertThat(nodes.pipe(0)).isEqualTo("layers 0 here, 1-8 at a");
  }

  @Test
  void aNodeThatDoesNotOpenInTimeIsLeftOut() {
    publishThreeNodes();
    nodes.handle(new PlannerEvent.Lost("b", "x"));
    nodes.handle(new PlannerEvent.Lost("c", "x"));
    nodes.silent.add("b");
    nodes.sent.clear();
    nodes.holds("b", 5, 9);
    nodes.publish("c 5-9");
    nodes.advance(1_100);
    String first = nodes.sent.contains("OPEN b") ? "b" : "c";
    assertThat(nodes.sent).contains("OPEN " + first);
    nodes.silent.add(first);
    nodes.advance(10_100);
    assertThat(nodes.pipe(0)).isEqualTo("layers 0 here, 1-4 at a, 5-8 at c");
    assertThat(nodes.counters.broken.sum()).as("what did not run did not break").isEqualTo(2);
  }

  @Test
  void aLostNodeIsNotTriedBeforeItIsSeenOrTheMembershipWouldKnow() {
    nodes.publish("a 1-9");
    nodes.sent.clear();
    nodes.silent.add("a");
    nodes.handle(new PlannerEvent.Lost("a", "reset"));
    nodes.advance(14_800);
    assertThat(nodes.sent).containsExactly("CLOSE a");
    nodes.advance(300);
    assertThat(nodes.sent).containsExactly("CLOSE a", "OPEN a");
    nodes.advance(10_000);
    assertThat(nodes.waitingReason()).contains("last at a: did not open in 10 s");
    nodes.holds("a", 1, 9);
    nodes.silent.clear();
    nodes.publish();
    nodes.advance(2_000);
    assertThat(nodes.pipe(0)).as("that was no fault of its work").contains("1-8 at a");
  }

  private PlannerEvent.Failed failure(List<String> accepted) {
    return new PlannerEvent.Failed(
        "b", nodes.session(0), "node b, from layer 5 on: torn", () -> accepted.add("b"));
  }

  @Test
  void aNodeThatFailsAStepIsLeftOutAndItsSequencesGoElsewhere() {
    nodes.publish("a 1-5, b 5-9");
    nodes.publish("c 5-9");
    List<String> accepted = new ArrayList<>();
    PlannerEvent.Failed first = failure(accepted);
    nodes.handle(first);
    nodes.handle(first);
    assertThat(nodes.pipe(0)).isEqualTo("layers 0 here, 1-4 at a, 5-8 at c");
    nodes.advance(6_000);
    nodes.handle(new PlannerEvent.Lost("c", "reset"));
    nodes.remove("c");
    nodes.publish();
    assertThat(nodes.pipe(0)).contains("5-8 at b");
    nodes.publish("d 1-9");
    nodes.handle(failure(accepted));
    assertThat(accepted).as("others can do its work").isEmpty();
    assertThat(nodes.running.values()).noneMatch(session -> session.includes("b"));
  }

  @Test
  void ifNoOtherNodeCanASecondFailureEndsTheSequences() {
    nodes.publish("a 1-5, b 5-9");
    List<String> accepted = new ArrayList<>();
    nodes.handle(failure(accepted));
    assertThat(accepted).isEmpty();
    assertThat(nodes.waitingReason())
        .isEqualTo("layers 5-8 are missing (last at b: a step failed: from layer 5 on: torn)");
    nodes.advance(5_100);
    PipeSession session = nodes.running.get(0);
    nodes.handle(failure(accepted));
    nodes.handle(failure(accepted));
    assertThat(accepted).hasSize(2);
    assertThat(nodes.running.get(0)).as("it is used on").isEqualTo(session);
    nodes.advance(60_100);
    nodes.handle(failure(accepted));
    assertThat(accepted).as("that long ago is not again").hasSize(2);
    assertThat(nodes.pipe(0)).isEqualTo("none");
  }

  @Test
  void aNodeThatAnotherCannotReachIsLeftOut() {
    publishThreeNodes();
    String second = nodes.running.get(0).otherNodes().getLast();
    nodes.handle(new PlannerEvent.Unreached(second, nodes.session(0), "a", "no route"));
    assertThat(nodes.pipe(0)).doesNotContain(second).contains("5-8");
    PipeSession now = nodes.running.get(0);
    nodes.handle(new PlannerEvent.Unreached("a", now.id(), "stranger", "what is it to him"));
    nodes.handle(new PlannerEvent.Unreached("a", 77, "", "of a session that is over"));
    nodes.handle(new PlannerEvent.Refused("a", 77, "of a session that is over"));
    nodes.handle(new PlannerEvent.Unreached("stranger", now.id(), "", "not in it"));
    assertThat(nodes.running.get(0)).isEqualTo(now);
  }

  @Test
  void aNodeThatHoldsAStepTooLongIsLeftOut() {
    publishThreeNodes();
    PipeSession session = nodes.running.get(0);
    String second = session.otherNodes().getLast();
    nodes.away.put(0, List.of(new InFlightGroup(4, session.plan().epoch(), nodes.now)));
    nodes.sent.clear();
    nodes.advance(59_900);
    assertThat(nodes.sent).isEmpty();
    nodes.advance(200);
    assertThat(nodes.sent).containsExactly("PROBE a", "PROBE " + second);
    nodes.handle(
        new PlannerEvent.Probed(
            "a", session.id(), List.of(new PlannerEvent.StretchProgress(4, 4))));
    nodes.handle(
        new PlannerEvent.Probed(
            second, session.id(), List.of(new PlannerEvent.StretchProgress(4, 3))));
    assertThat(nodes.disconnected).isEmpty();
    nodes.advance(50);
    assertThat(nodes.disconnected).as("the node that waits to send more").containsExactly(second);
    assertThat(nodes.pipe(0)).doesNotContain(second).contains("5-8");
  }

  @Test
  void aNodeWithAWrongResultIsNeverPlannedAgainAndItsSequencesAreRevokedFirst() {
    publishThreeNodes();
    String faultyNode = nodes.running.get(0).otherNodes().getLast();
    nodes.handle(new PlannerEvent.WrongResult(List.of(faultyNode), "it lied"));
    assertThat(nodes.revoked)
        .as("before its plan is over")
        .containsExactly("of " + faultyNode + ": it lied, while there ran [0]");
    assertThat(nodes.disconnected).containsExactly(faultyNode);
    assertThat(nodes.pipe(0)).doesNotContain(faultyNode).contains("5-8");
    assertThat(nodes.expelled).containsExactly(faultyNode);
    String other = nodes.running.get(0).otherNodes().getLast();
    nodes.handle(new PlannerEvent.Lost(other, "gone too"));
    nodes.remove(other);
    nodes.remove(faultyNode);
    nodes.publish();
    nodes.holds(faultyNode, 5, 9);
    nodes.publish();
    nodes.advance(600_000);
    assertThat(nodes.pipe(0)).isEqualTo("none");
    assertThat(nodes.coordinator.status().expelled()).containsExactly(faultyNode);
    assertThat(nodes.coordinator.status().holders()).noneMatch(h -> h.node().equals(faultyNode));
  }

  @Test
  void aWrongResultFoundAfterItsNodeLeftStillRevokesSequences() {
    publishThreeNodes();
    String faultyNode = nodes.running.get(0).otherNodes().getLast();
    nodes.handle(new PlannerEvent.Lost(faultyNode, "gone"));
    assertThat(nodes.pipe(0)).doesNotContain(faultyNode).contains("5-8");
    PipeSession now = nodes.running.get(0);
    nodes.handle(new PlannerEvent.WrongResult(List.of(faultyNode), "it lied"));
    assertThat(nodes.revoked).hasSize(1);
    assertThat(nodes.running.get(0)).as("it has no part in it").isEqualTo(now);
  }
}
