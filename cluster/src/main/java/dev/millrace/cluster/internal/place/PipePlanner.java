package dev.millrace.cluster.internal.place;

import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.internal.place.CoverProblem.Step;
import dev.millrace.cluster.internal.place.Placement.LayerAssignment;
import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * Finds the pipes that can run, and who should get which layers for more of them. First as many
 * pipes as there can be, no node in two of them; then the slowest node of all the fastest, with no
 * stretch that makes it faster by less than a fifth. A node takes at most one stretch out of each
 * range that it has, and no stretch spans two of these ranges.
 */
public final class PipePlanner {
  private final ModelRequirements need;
  private final String origin;
  private final int maxPipes;
  private final NodePool fleet;
  private final List<PlannedPipe> pipes = new ArrayList<>();
  private final List<LayerAssignment> wishes = new ArrayList<>();
  private List<LayerRange> missing = List.of();
  private List<LayerRange> coming = List.of();

  private PipePlanner(
      ModelRequirements need, String origin, List<CandidateNode> candidates, int maxPipes) {
    this.need = need;
    this.origin = origin;
    this.maxPipes = maxPipes;
    this.fleet = new NodePool(need, origin, candidates);
  }

  /**
   * A pure function: the same arguments, and candidates in any order, give the same placement.
   *
   * @param keep pipes that run; each stays as it is while its nodes still have their layers, and
   *     stands before those that are new
   */
  public static Placement plan(
      ModelRequirements need,
      String origin,
      List<CandidateNode> candidates,
      int maxPipes,
      List<PlannedPipe> keep) {
    PipePlanner planner = new PipePlanner(need, origin, candidates, maxPipes);
    keep.forEach(planner::keep);
    planner.findPipes();
    if (need.local() < need.layers()) {
      planner.findWishes();
    }
    return new Placement(planner.pipes, planner.wishes, planner.missing, planner.coming);
  }

  private void keep(PlannedPipe pipe) {
    int local = need.local();
    boolean whole = pipe.layers() == need.layers() && pipes.size() < maxPipes;
    Set<String> names = new HashSet<>();
    for (NodeLayers stretch : pipe.stretches()) {
      boolean own = stretch.to() <= local && stretch.node().equals(origin);
      whole &=
          own || stretch.from() >= local && fleet.has(stretch.node(), stretch.from(), stretch.to());
      names.add(stretch.node());
    }
    if (whole) {
      pipes.add(pipe);
      fleet.remove(names);
    }
  }

  private void findPipes() {
    if (need.local() >= need.layers()) {
      if (pipes.isEmpty() && maxPipes > 0) {
        pipes.add(
            new PlannedPipe(need.layers(), List.of(new NodeLayers(origin, 0, need.layers()))));
      }
      return;
    }
    int most = Math.min(maxPipes - pipes.size(), fleet.minCopies(CandidateNode::loaded));
    for (int count = most; count > 0; count--) {
      List<Step> steps = fleet.cover(count, CandidateNode::loaded);
      if (steps != null) {
        addPipes(count, steps);
        return;
      }
    }
  }

  private void addPipes(int count, List<Step> steps) {
    for (int number = 0; number < count; number++) {
      List<NodeLayers> stretches = new ArrayList<>();
      if (need.local() > 0) {
        stretches.add(new NodeLayers(origin, 0, need.local()));
      }
      for (Step step : steps) {
        if (step.pipe() == number) {
          stretches.add(new NodeLayers(fleet.name(step), step.from(), step.to()));
        }
      }
      pipes.add(new PlannedPipe(need.layers(), stretches));
    }
    fleet.remove(names(steps));
  }

  private Set<String> names(List<Step> steps) {
    Set<String> names = new HashSet<>();
    steps.forEach(step -> names.add(fleet.name(step)));
    return names;
  }

  /** Pipe by pipe: what is loaded or on its way, and where that is not all, what has to be. */
  private void findWishes() {
    for (int number = pipes.size(); number < maxPipes; number++) {
      BitSet gap = gap();
      boolean first = number == 0;
      List<Step> filling = gap.isEmpty() ? List.of() : fleet.assignGap(gap);
      if (filling == null && first) {
        filling = fleet.assignGapPartly(gap);
      }
      if (filling == null) {
        return;
      }
      wish(filling);
      if (first) {
        report();
      }
      List<Step> promised = fleet.cover(1, candidate -> NodePool.held(candidate, true));
      if (promised == null) {
        return;
      }
      fleet.remove(names(promised));
    }
  }

  /** Layers that no node left has or gets. */
  private BitSet gap() {
    BitSet gap = new BitSet();
    gap.set(need.local(), need.layers());
    gap.andNot(fleet.covered(candidate -> NodePool.held(candidate, true)));
    return gap;
  }

  private void wish(List<Step> filling) {
    TreeMap<String, BitSet> byNode = new TreeMap<>();
    for (Step step : filling) {
      byNode.computeIfAbsent(fleet.name(step), name -> new BitSet()).set(step.from(), step.to());
    }
    byNode.forEach(
        (node, layers) -> {
          for (LayerRange range : NodePool.ranges(layers)) {
            wishes.add(new LayerAssignment(node, range));
            fleet.addLayers(node, range);
          }
        });
  }

  private void report() {
    BitSet lacking = gap();
    missing = NodePool.ranges(lacking);
    BitSet onTheirWay = new BitSet();
    onTheirWay.set(need.local(), need.layers());
    onTheirWay.andNot(fleet.covered(CandidateNode::loaded));
    onTheirWay.andNot(lacking);
    coming = NodePool.ranges(onTheirWay);
  }
}
