package dev.millrace.cluster.internal.place;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.internal.place.Placement.LayerAssignment;
import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PipePlannerTest {
  private static ModelRequirements need(int layers, int local) {
    return new ModelRequirements(
        "ab".repeat(32), "m", 1_000, Collections.nCopies(layers, 10L), 2, local);
  }

  private static CandidateNode node(String name, double speed, long free, LayerRange... loaded) {
    return new CandidateNode(name, List.of(loaded), List.of(), free, speed, 0);
  }

  private static Placement plan(ModelRequirements need, int maxPipes, CandidateNode... candidates) {
    return PipePlanner.plan(need, "origin", List.of(candidates), maxPipes, List.of());
  }

  @Test
  void overlappingRangesAreCutWhereBothTakeTheSameTime() {
    Placement plan =
        plan(
            need(13, 1),
            1,
            node("a", 2, 0, new LayerRange(1, 12)),
            node("b", 1, 0, new LayerRange(3, 13)));
    assertThat(plan.pipes())
        .containsExactly(
            new PlannedPipe(
                13,
                List.of(
                    new NodeLayers("origin", 0, 1),
                    new NodeLayers("a", 1, 9),
                    new NodeLayers("b", 9, 13))));
    assertThat(plan.assignments()).isEmpty();
    assertThat(plan.missing()).isEmpty();
  }

  @Test
  void anUnknownSpeedCountsAsTheMedianAndSessionsShareIt() {
    CandidateNode busy = new CandidateNode("b", List.of(new LayerRange(1, 13)), List.of(), 0, 2, 1);
    Placement plan = plan(need(13, 1), 1, node("a", 0, 0, new LayerRange(1, 13)), busy);
    assertThat(plan.pipes().getFirst().stretches())
        .hasSize(3)
        .anySatisfy(
            stretch -> {
              assertThat(stretch.node()).isEqualTo("a");
              assertThat(stretch.to() - stretch.from()).isEqualTo(8);
            });
  }

  @Test
  void aStretchThatMakesLittleFasterIsNotMade() {
    CandidateNode[] cold = {
      node("a", 1, 0, new LayerRange(1, 7)),
      node("b", 0.9, 0, new LayerRange(6, 13)),
      node("c", 0.2, 0, new LayerRange(5, 9))
    };
    assertThat(plan(need(13, 1), 1, cold).pipes().getFirst().stretches())
        .extracting(NodeLayers::node)
        .containsExactly("origin", "a", "b");
    cold[2] = node("c", 1, 0, new LayerRange(4, 10));
    assertThat(plan(need(13, 1), 1, cold).pipes().getFirst().stretches())
        .as("a third less for the slowest is worth it")
        .hasSize(4);
  }

  @Test
  void aNodeThatHoldsBothEndsIsPassedTwice() {
    Placement plan =
        plan(
            need(9, 0),
            4,
            node("a", 1, 0, new LayerRange(0, 3), new LayerRange(6, 9)),
            node("b", 1, 0, new LayerRange(2, 7)));
    assertThat(plan.pipes()).hasSize(1);
    assertThat(plan.pipes().getFirst().stretches())
        .extracting(NodeLayers::node)
        .containsExactly("a", "b", "a");
  }

  @Test
  void pipesShareNoNode() {
    Placement plan =
        plan(
            need(8, 1),
            4,
            node("a", 1, 0, new LayerRange(1, 5)),
            node("b", 1, 0, new LayerRange(5, 8)),
            node("c", 1, 0, new LayerRange(1, 8)),
            node("d", 1, 0, new LayerRange(2, 8)));
    assertThat(plan.pipes()).hasSize(2);
    assertThat(plan.pipes().stream().flatMap(pipe -> pipe.stretches().stream()))
        .extracting(NodeLayers::node)
        .filteredOn(name -> !name.equals("origin"))
        .doesNotHaveDuplicates();
  }

  @Test
  void aFleetWithNothingGetsLayersBySpeedWithinItsMemory() {
    Placement plan =
        plan(need(13, 1), 1, node("a", 3, 1_000, new LayerRange[0]), node("b", 1, 1_000));
    assertThat(plan.pipes()).isEmpty();
    assertThat(plan.assignments())
        .containsExactlyInAnyOrder(
            new LayerAssignment("a", new LayerRange(1, 10)),
            new LayerAssignment("b", new LayerRange(10, 13)));
    assertThat(plan.missing()).isEmpty();
    assertThat(plan.coming()).containsExactly(new LayerRange(1, 13));

    Placement small =
        plan(need(13, 1), 1, node("a", 3, 12 * 5, new LayerRange[0]), node("b", 1, 1_000));
    assertThat(small.assignments())
        .extracting(assignment -> assignment.node() + assignment.range().length())
        .containsExactlyInAnyOrder("a5", "b7");
  }

  @Test
  void layersWithoutMemoryAnywhereAreMissing() {
    Placement plan = plan(need(13, 1), 4, node("a", 1, 12 * 4 + 11), node("b", 1, 12 * 3));
    assertThat(plan.assignments())
        .containsExactly(
            new LayerAssignment("a", new LayerRange(1, 5)),
            new LayerAssignment("b", new LayerRange(5, 8)));
    assertThat(plan.missing()).containsExactly(new LayerRange(8, 13));
  }

  @Test
  void layersThatAreBeingLoadedAreNotAssignedAgain() {
    CandidateNode coming =
        new CandidateNode(
            "a", List.of(new LayerRange(1, 4)), List.of(new LayerRange(4, 9)), 500, 1, 0);
    Placement plan = plan(need(13, 1), 4, coming, node("b", 1, 1_000));
    assertThat(plan.assignments()).containsExactly(new LayerAssignment("b", new LayerRange(9, 13)));
    assertThat(plan.coming()).containsExactly(new LayerRange(4, 13));
  }

  @Test
  void aSecondPipeIsBegunOnlyIfItCanBeCompleted() {
    CandidateNode whole = node("a", 1, 0, new LayerRange(1, 13));
    assertThat(plan(need(13, 1), 4, whole, node("b", 1, 12 * 11)).assignments()).isEmpty();
    assertThat(plan(need(13, 1), 4, whole, node("b", 1, 12 * 12)).assignments())
        .containsExactly(new LayerAssignment("b", new LayerRange(1, 13)));
    assertThat(plan(need(13, 1), 1, whole, node("b", 1, 12 * 12)).assignments()).isEmpty();
  }

  @Test
  void aPipeThatRunsStaysThoughABetterOneCouldBe() {
    CandidateNode slow = node("a", 1, 0, new LayerRange(1, 13));
    PlannedPipe runs = plan(need(13, 1), 4, slow).pipes().getFirst();
    CandidateNode[] now = {
      slow, node("b", 9, 0, new LayerRange(1, 13)), node("c", 9, 0, new LayerRange(6, 13))
    };
    Placement plan = PipePlanner.plan(need(13, 1), "origin", List.of(now), 4, List.of(runs));
    assertThat(plan.pipes()).hasSize(2).startsWith(runs);

    now[0] = node("a", 1, 0, new LayerRange(1, 12));
    assertThat(PipePlanner.plan(need(13, 1), "origin", List.of(now), 1, List.of(runs)).pipes())
        .hasSize(1)
        .doesNotContain(runs);
  }

  @Test
  void anOriginWithAllLayersIsAPipeByItself() {
    assertThat(plan(need(5, 5), 4, node("a", 1, 100)).pipes())
        .containsExactly(new PlannedPipe(5, List.of(new NodeLayers("origin", 0, 5))));
  }

  @Test
  void aLargeFleetIsPlannedTheSameWayEachTime() {
    Random random = new Random(7);
    List<Long> bytes = new ArrayList<>();
    for (int i = 0; i < 128; i++) {
      bytes.add(1_000_000L + random.nextInt(300_000));
    }
    ModelRequirements need = new ModelRequirements("ab".repeat(32), "m", 1, bytes, 1_000, 1);
    for (int round = 0; round < 10; round++) {
      List<CandidateNode> fleet = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        int from = random.nextInt(120);
        LayerRange range = new LayerRange(from, Math.min(128, from + 8 + random.nextInt(60)));
        List<LayerRange> loaded = i % 3 == 0 ? List.of() : List.of(range);
        fleet.add(
            new CandidateNode(
                "n" + i, loaded, List.of(), random.nextInt(60_000_000), 1 + random.nextInt(9), 0));
      }
      Placement placement = PipePlanner.plan(need, "origin", fleet, 4, List.of());
      assertThat(placement.pipes().size() + placement.assignments().size())
          .as("round %d", round)
          .isPositive();
      assertThat(PipePlanner.plan(need, "origin", fleet.reversed(), 4, List.of()))
          .as("round %d", round)
          .isEqualTo(placement);
    }
  }
}
