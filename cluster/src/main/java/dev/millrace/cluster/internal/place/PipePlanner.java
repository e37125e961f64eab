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
 * Finds the pipes that can run, and the layers that nodes should load so that more pipes can run.
 * The first goal is as many pipes as possible, with no node in two of them. The second is a slowest
 * node that is as fast as possible, without a stretch that makes it faster by less than a fifth. A
 * node takes at most one stretch out of each range that it has, and no stretch spans two ranges.
 */
public final class PipePlanner {
  private final ModelRequirements need;
  private final String origin;
  private final int maxPipes;
  private final NodePool pool;
  private final List<PlannedPipe> pipes = new ArrayList<>();
  private final List<LayerAssignment> assignments = new ArrayList<>();
  private List<LayerRange> missing = List.of();
  private List<LayerRange> coming = List.of();

  private PipePlanner(
      ModelRequirements need, String origin, List<CandidateNode> candidates, int maxPipes) {
    this.need = need;
    this.origin = origin;
    this.maxPipes = maxPipes;
    this.pool = new NodePool(need, origin, candidates);
  }

  /**
   * A pure function: the same arguments, and candidates in any order, give the same placement.
   *
   * @param keep running pipes; each stays while its nodes have their layers, and comes before new
   *     ones
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
      planner.findAssignments();
    }
    return new Placement(planner.pipes, planner.assignments, planner.missing, planner.coming);
  }

  private void keep(PlannedPipe pipe) {
    int local = need.local();
    boolean whole = pipe.layers() == need.layers() && pipes.size() < maxPipes;
    Set<String> names = new HashSet<>();
    for (NodeLayers stretch : pipe.stretches()) {
      boolean own = stretch.to() <= local && stretch.node().equals(origin);
      whole &=
          own || stretch.from() >= local && pool.has(stretch.node(), stretch.from(), stretch.to());
      names.add(stretch.node());
    }
    if (whole) {
      pipes.add(pipe);
      pool.remove(names);
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
    int most = Math.min(maxPipes - pipes.size(), pool.minCopies(CandidateNode::loaded));
    for (int count = most; count > 0; count--) {
      List<Step> steps = pool.cover(count, CandidateNode::loaded);
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
          stretches.add(new NodeLayers(pool.name(step), step.from(), step.to()));
        }
      }
      pipes.add(new PlannedPipe(need.layers(), stretches));
    }
    pool.remove(names(steps));
  }

  private Set<String> names(List<Step> steps) {
    Set<String> names = new HashSet<>();
    steps.forEach(step -> names.add(pool.name(step)));
    return names;
  }

  /** Pipe by pipe: the layers that are neither loaded nor loading are assigned. */
  private void findAssignments() {
    for (int number = pipes.size(); number < maxPipes; number++) {
      BitSet gap = gap();
      boolean first = number == 0;
      List<Step> filling = gap.isEmpty() ? List.of() : pool.assignGap(gap);
      if (filling == null && first) {
        filling = pool.assignGapPartly(gap);
      }
      if (filling == null) {
        return;
      }
      assign(filling);
      if (first) {
        report();
      }
      List<Step> covered = pool.cover(1, candidate -> NodePool.held(candidate, true));
      if (covered == null) {
        return;
      }
      pool.remove(names(covered));
    }
  }

  /** Layers that no remaining node has or is loading. */
  private BitSet gap() {
    BitSet gap = new BitSet();
    gap.set(need.local(), need.layers());
    gap.andNot(pool.covered(candidate -> NodePool.held(candidate, true)));
    return gap;
  }

  private void assign(List<Step> filling) {
    TreeMap<String, BitSet> byNode = new TreeMap<>();
    for (Step step : filling) {
      byNode.computeIfAbsent(pool.name(step), name -> new BitSet()).set(step.from(), step.to());
    }
    byNode.forEach(
        (node, layers) -> {
          for (LayerRange range : NodePool.ranges(layers)) {
            assignments.add(new LayerAssignment(node, range));
            pool.addLayers(node, range);
          }
        });
  }

  private void report() {
    BitSet gap = gap();
    missing = NodePool.ranges(gap);
    BitSet loading = new BitSet();
    loading.set(need.local(), need.layers());
    loading.andNot(pool.covered(CandidateNode::loaded));
    loading.andNot(gap);
    coming = NodePool.ranges(loading);
  }
}
