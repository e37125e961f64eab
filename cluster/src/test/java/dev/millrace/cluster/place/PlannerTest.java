package dev.millrace.cluster.place;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.member.ModelNeed;
import dev.millrace.cluster.place.Placement.Wish;
import dev.millrace.engine.pipe.Pipe.Stretch;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PlannerTest {
  private static ModelNeed need(int layers, int local) {
    return new ModelNeed("ab".repeat(32), "m", 1_000, Collections.nCopies(layers, 10L), 2, local);
  }

  private static Candidate node(String name, double speed, long free, Range... loaded) {
    return new Candidate(name, List.of(loaded), List.of(), free, speed, 0);
  }

  private static Placement plan(ModelNeed need, int maxPipes, Candidate... candidates) {
    return Planner.plan(need, "origin", List.of(candidates), maxPipes, List.of());
  }

  @Test
  void overlappingRangesAreCutWhereBothTakeTheSameTime() {
    Placement plan =
        plan(need(13, 1), 1, node("a", 2, 0, new Range(1, 12)), node("b", 1, 0, new Range(3, 13)));
    assertThat(plan.pipes())
        .containsExactly(
            new PlannedPipe(
                13,
                List.of(
                    new Stretch("origin", 0, 1), new Stretch("a", 1, 9), new Stretch("b", 9, 13))));
    assertThat(plan.assignments()).isEmpty();
    assertThat(plan.missing()).isEmpty();
  }

  @Test
  void anUnknownSpeedCountsAsTheMedianAndSessionsShareIt() {
    Candidate busy = new Candidate("b", List.of(new Range(1, 13)), List.of(), 0, 2, 1);
    Placement plan = plan(need(13, 1), 1, node("a", 0, 0, new Range(1, 13)), busy);
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
    Candidate[] cold = {
      node("a", 1, 0, new Range(1, 7)),
      node("b", 0.9, 0, new Range(6, 13)),
      node("c", 0.2, 0, new Range(5, 9))
    };
    assertThat(plan(need(13, 1), 1, cold).pipes().getFirst().stretches())
        .extracting(Stretch::node)
        .containsExactly("origin", "a", "b");
    cold[2] = node("c", 1, 0, new Range(4, 10));
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
            node("a", 1, 0, new Range(0, 3), new Range(6, 9)),
            node("b", 1, 0, new Range(2, 7)));
    assertThat(plan.pipes()).hasSize(1);
    assertThat(plan.pipes().getFirst().stretches())
        .extracting(Stretch::node)
        .containsExactly("a", "b", "a");
  }

  @Test
  void pipesShareNoNode() {
    Placement plan =
        plan(
            need(8, 1),
            4,
            node("a", 1, 0, new Range(1, 5)),
            node("b", 1, 0, new Range(5, 8)),
            node("c", 1, 0, new Range(1, 8)),
            node("d", 1, 0, new Range(2, 8)));
    assertThat(plan.pipes()).hasSize(2);
    assertThat(plan.pipes().stream().flatMap(pipe -> pipe.stretches().stream()))
        .extracting(Stretch::node)
        .filteredOn(name -> !name.equals("origin"))
        .doesNotHaveDuplicates();
  }

  @Test
  void aFleetWithNothingGetsLayersBySpeedWithinItsMemory() {
    Placement plan = plan(need(13, 1), 1, node("a", 3, 1_000, new Range[0]), node("b", 1, 1_000));
    assertThat(plan.pipes()).isEmpty();
    assertThat(plan.assignments())
        .containsExactlyInAnyOrder(
            new Wish("a", new Range(1, 10)), new Wish("b", new Range(10, 13)));
    assertThat(plan.missing()).isEmpty();
    assertThat(plan.coming()).containsExactly(new Range(1, 13));

    Placement small = plan(need(13, 1), 1, node("a", 3, 12 * 5, new Range[0]), node("b", 1, 1_000));
    assertThat(small.assignments())
        .extracting(wish -> wish.node() + wish.range().length())
        .containsExactlyInAnyOrder("a5", "b7");
  }

  @Test
  void whatNobodyHasTheMemoryForIsMissing() {
    Placement plan = plan(need(13, 1), 4, node("a", 1, 12 * 4 + 11), node("b", 1, 12 * 3));
    assertThat(plan.assignments())
        .containsExactly(new Wish("a", new Range(1, 5)), new Wish("b", new Range(5, 8)));
    assertThat(plan.missing()).containsExactly(new Range(8, 13));
  }

  @Test
  void layersThatAreComingAreAskedOfNobodyElse() {
    Candidate coming =
        new Candidate("a", List.of(new Range(1, 4)), List.of(new Range(4, 9)), 500, 1, 0);
    Placement plan = plan(need(13, 1), 4, coming, node("b", 1, 1_000));
    assertThat(plan.assignments()).containsExactly(new Wish("b", new Range(9, 13)));
    assertThat(plan.coming()).containsExactly(new Range(4, 13));
  }

  @Test
  void aSecondPipeIsBegunOnlyIfItCanBeCompleted() {
    Candidate whole = node("a", 1, 0, new Range(1, 13));
    assertThat(plan(need(13, 1), 4, whole, node("b", 1, 12 * 11)).assignments()).isEmpty();
    assertThat(plan(need(13, 1), 4, whole, node("b", 1, 12 * 12)).assignments())
        .containsExactly(new Wish("b", new Range(1, 13)));
    assertThat(plan(need(13, 1), 1, whole, node("b", 1, 12 * 12)).assignments()).isEmpty();
  }

  @Test
  void aPipeThatRunsStaysThoughABetterOneCouldBe() {
    Candidate slow = node("a", 1, 0, new Range(1, 13));
    PlannedPipe runs = plan(need(13, 1), 4, slow).pipes().getFirst();
    Candidate[] now = {slow, node("b", 9, 0, new Range(1, 13)), node("c", 9, 0, new Range(6, 13))};
    Placement plan = Planner.plan(need(13, 1), "origin", List.of(now), 4, List.of(runs));
    assertThat(plan.pipes()).hasSize(2).startsWith(runs);

    now[0] = node("a", 1, 0, new Range(1, 12));
    assertThat(Planner.plan(need(13, 1), "origin", List.of(now), 1, List.of(runs)).pipes())
        .hasSize(1)
        .doesNotContain(runs);
  }

  @Test
  void anOriginWithAllLayersIsAPipeByItself() {
    assertThat(plan(need(5, 5), 4, node("a", 1, 100)).pipes())
        .containsExactly(new PlannedPipe(5, List.of(new Stretch("origin", 0, 5))));
  }

  @Test
  void aLargeFleetIsPlannedTheSameWayEachTime() {
    Random random = new Random(7);
    List<Long> bytes = new ArrayList<>();
    for (int i = 0; i < 128; i++) {
      bytes.add(1_000_000L + random.nextInt(300_000));
    }
    ModelNeed need = new ModelNeed("ab".repeat(32), "m", 1, bytes, 1_000, 1);
    for (int round = 0; round < 10; round++) {
      List<Candidate> fleet = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        int from = random.nextInt(120);
        Range range = new Range(from, Math.min(128, from + 8 + random.nextInt(60)));
        List<Range> loaded = i % 3 == 0 ? List.of() : List.of(range);
        fleet.add(
            new Candidate(
                "n" + i, loaded, List.of(), random.nextInt(60_000_000), 1 + random.nextInt(9), 0));
      }
      Placement placement = Planner.plan(need, "origin", fleet, 4, List.of());
      assertThat(placement.pipes().size() + placement.assignments().size())
          .as("round %d", round)
          .isPositive();
      assertThat(Planner.plan(need, "origin", fleet.reversed(), 4, List.of()))
          .as("round %d", round)
          .isEqualTo(placement);
    }
  }
}
