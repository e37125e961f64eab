package dev.millrace.cluster.internal.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.internal.place.Placement.LayerAssignment;
import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What holds for every fleet, tried with random ones; small ones against trying everything. */
@Tag("slow")
class PipePlannerPropertiesTest {
  private static final int ROUNDS = Boolean.getBoolean("millrace.proof") ? 20_000 : 1_500;

  /** A random model and the nodes for it. */
  private record Case(long seed, ModelRequirements need, List<CandidateNode> fleet, int maxPipes) {
    static Case of(long seed, int mostNodes, int mostLayers, int mostRanges) {
      Random random = new Random(seed);
      int layers = 1 + random.nextInt(mostLayers);
      List<Long> bytes = new ArrayList<>();
      boolean even = random.nextBoolean();
      for (int i = 0; i < layers; i++) {
        bytes.add(even ? 4L : 1 + random.nextInt(6));
      }
      int local = random.nextInt(Math.min(3, layers + 1));
      ModelRequirements need =
          new ModelRequirements("ab".repeat(32), "m", 1, bytes, random.nextInt(3), local);
      List<CandidateNode> fleet = new ArrayList<>();
      int nodes = random.nextInt(mostNodes + 1);
      for (int i = 0; i < nodes; i++) {
        fleet.add(candidate("n" + i, layers, mostRanges, random));
      }
      return new Case(seed, need, fleet, 1 + random.nextInt(4));
    }

    private static CandidateNode candidate(String name, int layers, int mostRanges, Random random) {
      List<LayerRange> loaded = new ArrayList<>();
      List<LayerRange> coming = new ArrayList<>();
      int from = random.nextInt(layers);
      for (int i = 0; i < mostRanges && from < layers; i++) {
        int to = Math.min(layers, from + 1 + random.nextInt(layers));
        (random.nextInt(6) == 0 ? coming : loaded).add(new LayerRange(from, to));
        from = to + 1 + random.nextInt(3);
      }
      boolean none = random.nextInt(4) == 0;
      return new CandidateNode(
          name,
          none ? List.of() : loaded,
          none ? List.of() : coming,
          random.nextBoolean() ? 0 : random.nextInt(60),
          random.nextInt(4),
          random.nextInt(5) == 0 ? 1 : 0);
    }

    Placement plan() {
      return PipePlanner.plan(need, "origin", fleet, maxPipes, List.of());
    }

    double speed(CandidateNode candidate) {
      double[] known =
          fleet.stream().mapToDouble(CandidateNode::speed).filter(s -> s > 0).sorted().toArray();
      double usual = known.length == 0 ? 1 : known[known.length / 2];
      double speed = candidate.speed() > 0 ? candidate.speed() : usual;
      return speed / (1 + candidate.sessions());
    }

    /** A stretch more is worth it where the slowest gets faster by a fifth. */
    double cost(PlannedPipe pipe) {
      long stretches = pipe.stretches().stream().filter(s -> !s.node().equals("origin")).count();
      return slowest(pipe) * Math.pow(1.25, stretches);
    }

    CandidateNode node(String name) {
      return fleet.stream().filter(node -> node.node().equals(name)).findFirst().orElseThrow();
    }

    double slowest(PlannedPipe pipe) {
      Map<String, Double> load = new HashMap<>();
      for (NodeLayers stretch : pipe.stretches()) {
        for (int layer = stretch.from(); layer < stretch.to(); layer++) {
          load.merge(stretch.node(), (double) need.layerBytes().get(layer), Double::sum);
        }
      }
      load.remove("origin");
      return load.entrySet().stream()
          .mapToDouble(entry -> entry.getValue() / speed(node(entry.getKey())))
          .max()
          .orElse(0);
    }
  }

  @Test
  void pipesUseWhatIsLoadedAndNoNodeTwice() {
    for (long seed = 0; seed < ROUNDS; seed++) {
      Case it = Case.of(seed, 10, 20, 3);
      Set<String> used = new HashSet<>();
      for (PlannedPipe pipe : it.plan().pipes()) {
        Set<String> here = new HashSet<>();
        for (NodeLayers stretch : pipe.stretches()) {
          if (stretch.from() < it.need.local()) {
            assertThat(stretch)
                .as("seed %d", seed)
                .isEqualTo(new NodeLayers("origin", 0, it.need.local()));
            continue;
          }
          assertThat(it.node(stretch.node()).loaded())
              .as("seed %d: %s", seed, stretch)
              .anyMatch(range -> range.from() <= stretch.from() && stretch.to() <= range.to());
          here.add(stretch.node());
        }
        assertThat(Collections.disjoint(used, here)).as("seed %d", seed).isTrue();
        used.addAll(here);
      }
    }
  }

  @Test
  void assignmentsFitTheMemoryAndContainNoLayerThatIsThere() {
    for (long seed = 0; seed < ROUNDS; seed++) {
      Case it = Case.of(seed, 10, 20, 2);
      Placement plan = it.plan();
      Map<String, Long> asked = new HashMap<>();
      for (LayerAssignment assignment : plan.assignments()) {
        for (int layer = assignment.range().from(); layer < assignment.range().to(); layer++) {
          asked.merge(
              assignment.node(), it.need.layerBytes().get(layer) + it.need.cacheBytes(), Long::sum);
          assertThat(
                  layers(it.node(assignment.node()).loaded(), it.node(assignment.node()).coming())
                      .get(layer))
              .as("seed %d: %s", seed, assignment)
              .isFalse();
        }
      }
      long tried = seed;
      asked.forEach(
          (node, bytes) ->
              assertThat(bytes)
                  .as("seed %d: %s", tried, node)
                  .isLessThanOrEqualTo(it.node(node).free()));
    }
  }

  @Test
  void theFirstPipesLayersAreEachLoadedOrComingOrMissing() {
    for (long seed = 0; seed < ROUNDS; seed++) {
      Case it = Case.of(seed, 6, 20, 2);
      Placement plan = it.plan();
      if (!plan.pipes().isEmpty()) {
        assertThat(plan.missing()).as("seed %d", seed).isEmpty();
        assertThat(plan.coming()).as("seed %d", seed).isEmpty();
        continue;
      }
      BitSet all = new BitSet();
      it.fleet.forEach(node -> all.or(layers(node.loaded(), List.of())));
      BitSet rest = layers(plan.missing(), List.of());
      BitSet coming = layers(plan.coming(), List.of());
      assertThat(rest.intersects(coming) || rest.intersects(all) || coming.intersects(all))
          .as("seed %d", seed)
          .isFalse();
      all.or(rest);
      all.or(coming);
      all.set(0, it.need.local());
      assertThat(all.nextClearBit(0)).as("seed %d", seed).isGreaterThanOrEqualTo(it.need.layers());
      for (CandidateNode node : it.fleet) {
        long left = node.free() - spent(it.need, plan, node.node());
        rest.stream()
            .forEach(
                layer ->
                    assertThat(it.need.layerBytes().get(layer) + it.need.cacheBytes())
                        .as("seed %d: layer %d would fit %s", it.seed, layer, node)
                        .isGreaterThan(left));
      }
    }
  }

  @Test
  void assignmentsOnceLoadedMakeTheirPipe() {
    for (long seed = 0; seed < ROUNDS; seed++) {
      Case it = Case.of(seed, 8, 16, 1);
      Placement plan = it.plan();
      if (plan.assignments().isEmpty() || !plan.missing().isEmpty()) {
        continue;
      }
      List<CandidateNode> later = new ArrayList<>();
      for (CandidateNode node : it.fleet) {
        List<LayerRange> loaded = new ArrayList<>(node.loaded());
        loaded.addAll(node.coming());
        plan.assignments().stream()
            .filter(assignment -> assignment.node().equals(node.node()))
            .forEach(assignment -> loaded.add(assignment.range()));
        later.add(
            new CandidateNode(node.node(), loaded, List.of(), 0, node.speed(), node.sessions()));
      }
      Placement then = PipePlanner.plan(it.need, "origin", later, it.maxPipes, plan.pipes());
      assertThat(then.pipes()).as("seed %d", seed).hasSizeGreaterThan(plan.pipes().size());
    }
  }

  @Test
  void pipesThatRunStayAndNoLayerIsAskedOfTwoWhileOthersAreMissing() {
    for (long seed = 0; seed < ROUNDS; seed++) {
      Case it = Case.of(seed, 8, 16, 2);
      Placement plan = it.plan();
      Placement again = PipePlanner.plan(it.need, "origin", it.fleet, it.maxPipes, plan.pipes());
      assertThat(again).as("seed %d", seed).isEqualTo(plan);
      BitSet asked = new BitSet();
      for (LayerAssignment assignment : plan.assignments()) {
        BitSet layers = layers(List.of(assignment.range()), List.of());
        assertThat(asked.intersects(layers) && !plan.missing().isEmpty())
            .as("seed %d", seed)
            .isFalse();
        asked.or(layers);
      }
    }
  }

  @Test
  void theOrderOfTheNodesDoesNotMatter() {
    for (long seed = 0; seed < ROUNDS / 3; seed++) {
      Case it = Case.of(seed, 10, 20, 3);
      List<CandidateNode> shuffled = new ArrayList<>(it.fleet);
      Collections.shuffle(shuffled, new Random(seed));
      assertThat(PipePlanner.plan(it.need, "origin", shuffled, it.maxPipes, List.of()))
          .as("seed %d", seed)
          .isEqualTo(it.plan());
    }
  }

  @Test
  void moreNodesNeverMakeFewerPipes() {
    for (long seed = 0; seed < ROUNDS; seed++) {
      Case it = Case.of(seed, 9, 14, 1);
      for (int left = 0; left < it.fleet.size(); left++) {
        List<CandidateNode> fewer = new ArrayList<>(it.fleet);
        fewer.remove(left);
        assertThat(PipePlanner.plan(it.need, "origin", fewer, 4, List.of()).pipes().size())
            .as("seed %d without %d", seed, left)
            .isLessThanOrEqualTo(
                PipePlanner.plan(it.need, "origin", it.fleet, 4, List.of()).pipes().size());
      }
    }
  }

  @Test
  void asManyPipesAreFoundAsThereAre() {
    for (long seed = 0; seed < ROUNDS; seed++) {
      Case it = Case.of(seed, 6, 8, 3);
      if (it.need.local() < it.need.layers()) {
        int most = Math.min(it.maxPipes, mostPipes(it));
        assertThat(it.plan().pipes()).as("seed %d", seed).hasSize(most);
      }
    }
  }

  @Test
  void noSinglePipeIsBetterThanTheOneFound() {
    for (long seed = 0; seed < ROUNDS; seed++) {
      Case it = Case.of(seed, 5, 8, 2);
      List<PlannedPipe> pipes = PipePlanner.plan(it.need, "origin", it.fleet, 1, List.of()).pipes();
      if (!pipes.isEmpty() && it.need.local() < it.need.layers()) {
        double best = new Exhaustive(it).least();
        assertThat(it.cost(pipes.getFirst()))
            .as("seed %d: %s", seed, pipes)
            .isCloseTo(best, within(best * 1e-3));
      }
    }
  }

  private static BitSet layers(List<LayerRange> some, List<LayerRange> more) {
    BitSet set = new BitSet();
    some.forEach(range -> set.set(range.from(), range.to()));
    more.forEach(range -> set.set(range.from(), range.to()));
    return set;
  }

  private static long spent(ModelRequirements need, Placement plan, String node) {
    return plan.assignments().stream()
        .filter(assignment -> assignment.node().equals(node))
        .flatMapToInt(
            assignment -> IntStream.range(assignment.range().from(), assignment.range().to()))
        .mapToLong(layer -> need.layerBytes().get(layer) + need.cacheBytes())
        .sum();
  }

  /** The most sets of nodes, none with a node of another, that have all layers each. */
  private static int mostPipes(Case it) {
    int sets = 1 << it.fleet.size();
    int[] most = new int[sets];
    for (int set = 1; set < sets; set++) {
      BitSet covered = new BitSet();
      covered.set(0, it.need.local());
      for (int i = 0; i < it.fleet.size(); i++) {
        if ((set >> i & 1) != 0) {
          covered.or(layers(it.fleet.get(i).loaded(), List.of()));
        }
      }
      most[set] = covered.nextClearBit(0) >= it.need.layers() ? 1 : 0;
      for (int part = set - 1 & set; part > 0 && most[set] > 0; part = part - 1 & set) {
        most[set] = Math.max(most[set], most[part] + most[set ^ part]);
      }
    }
    return most[sets - 1];
  }

  /** Tries every way to cover the layers with one stretch out of each range at most. */
  private static final class Exhaustive {
    private final Case it;
    private final double[] load;
    private final Set<LayerRange> used = Collections.newSetFromMap(new IdentityHashMap<>());
    private double best = Double.MAX_VALUE;

    Exhaustive(Case it) {
      this.it = it;
      this.load = new double[it.fleet.size()];
    }

    double least() {
      from(it.need.local(), 0, 1);
      return best;
    }

    private void from(int layer, double slowest, double hops) {
      if (layer == it.need.layers()) {
        best = Math.min(best, slowest * hops);
        return;
      }
      for (int i = 0; i < load.length; i++) {
        for (LayerRange range : it.fleet.get(i).loaded()) {
          if (layer >= range.from() && layer < range.to() && !used.contains(range)) {
            take(i, range, layer, slowest, hops * 1.25);
          }
        }
      }
    }

    private void take(int node, LayerRange range, int layer, double slowest, double hops) {
      used.add(range);
      double before = load[node];
      for (int to = layer; to < range.to(); to++) {
        load[node] += it.need.layerBytes().get(to);
        double time = load[node] / it.speed(it.fleet.get(node));
        if (Math.max(time, slowest) * hops < best) {
          from(to + 1, Math.max(time, slowest), hops);
        }
      }
      load[node] = before;
      used.remove(range);
    }
  }
}
