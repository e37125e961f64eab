package dev.millrace.cluster.internal.place;

import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.internal.place.CoverProblem.Node;
import dev.millrace.cluster.internal.place.CoverProblem.Step;
import dev.millrace.cluster.internal.place.CoverProblem.Window;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The nodes that are not in a pipe yet, and the pipes that they can form. */
final class NodePool {
  private final ModelRequirements need;
  private final long[] sums;
  private final Map<String, CandidateNode> nodes = new TreeMap<>();
  private final double usualSpeed;

  NodePool(ModelRequirements need, String origin, List<CandidateNode> candidates) {
    this.need = need;
    this.sums = CoverProblem.sums(need.layerBytes());
    this.usualSpeed = median(candidates);
    for (CandidateNode candidate : candidates) {
      if (!candidate.node().equals(origin)) {
        nodes.putIfAbsent(candidate.node(), clipped(candidate));
      }
    }
  }

  private static double median(List<CandidateNode> candidates) {
    double[] known =
        candidates.stream()
            .mapToDouble(CandidateNode::speed)
            .filter(speed -> speed > 0)
            .sorted()
            .toArray();
    return known.length == 0 ? 1 : known[known.length / 2];
  }

  private CandidateNode clipped(CandidateNode candidate) {
    return new CandidateNode(
        candidate.node(),
        clipped(candidate.loaded()),
        clipped(candidate.coming()),
        candidate.free(),
        candidate.speed(),
        candidate.sessions());
  }

  /** The parts of these ranges that a pipe needs from nodes, without the origin's layers. */
  private List<LayerRange> clipped(List<LayerRange> ranges) {
    List<LayerRange> inside = new ArrayList<>();
    for (LayerRange range : ranges) {
      int from = Math.max(range.from(), need.local());
      int to = Math.min(range.to(), need.layers());
      if (from < to) {
        inside.add(new LayerRange(from, to));
      }
    }
    inside.sort(Comparator.comparingInt(LayerRange::from).thenComparingInt(LayerRange::to));
    return inside;
  }

  void remove(Collection<String> names) {
    nodes.keySet().removeAll(names);
  }

  /** Whether the node is in the pool and has all layers of a stretch. */
  boolean has(String node, int from, int to) {
    CandidateNode candidate = nodes.get(node);
    return candidate != null && set(candidate.loaded()).nextClearBit(from) >= to;
  }

  /** The layers that any node has in this view. */
  BitSet covered(Function<CandidateNode, List<LayerRange>> view) {
    BitSet covered = new BitSet();
    nodes.values().forEach(candidate -> covered.or(set(view.apply(candidate))));
    return covered;
  }

  private static BitSet set(List<LayerRange> ranges) {
    BitSet set = new BitSet();
    ranges.forEach(range -> set.set(range.from(), range.to()));
    return set;
  }

  /** How many nodes have the rarest layer. */
  int minCopies(Function<CandidateNode, List<LayerRange>> view) {
    int[] depth = new int[need.layers()];
    for (CandidateNode candidate : nodes.values()) {
      set(view.apply(candidate)).stream().forEach(layer -> depth[layer]++);
    }
    return Arrays.stream(depth, need.local(), depth.length).min().orElse(0);
  }

  /** So many pipes out of what nodes have in this view; null if there are not enough layers. */
  @Nullable List<Step> cover(int pipes, Function<CandidateNode, List<LayerRange>> view) {
    BitSet wanted = new BitSet();
    wanted.set(need.local(), need.layers());
    return CoverOptimizer.of(problem(wanted, pipes, view, false));
  }

  /**
   * Which nodes should load the layers of a gap; null if there is not enough memory for all of
   * them.
   */
  @Nullable List<Step> assignGap(BitSet gap) {
    List<LayerRange> ranges = ranges(gap);
    return CoverOptimizer.of(
        problem(gap, 1, candidate -> candidate.free() > 0 ? ranges : List.of(), true));
  }

  /** As {@link #assignGap}, as far as the memory goes; nodes with the most memory first. */
  List<Step> assignGapPartly(BitSet gap) {
    CoverProblem problem = problem(gap, 1, candidate -> ranges(gap), true);
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < problem.nodes().size(); i++) {
      order.add(i);
    }
    order.sort(Comparator.comparingLong(i -> -problem.nodes().get(i).memory()));
    List<Step> steps = new ArrayList<>();
    BitSet open = (BitSet) gap.clone();
    for (int node : order) {
      long memory = problem.nodes().get(node).memory();
      for (LayerRange range : ranges(open)) {
        for (int from = range.from(); from < range.to(); from++) {
          int to = problem.maxEnd(from, range.to(), Double.MAX_VALUE, memory);
          memory -= problem.memory(from, to);
          open.clear(from, to);
          if (to > from) {
            steps.add(new Step(0, new Window(node, from, to), from, to));
            from = to - 1;
          }
        }
      }
    }
    return steps;
  }

  private CoverProblem problem(
      BitSet wanted, int pipes, Function<CandidateNode, List<LayerRange>> view, boolean filling) {
    List<Node> problemNodes = new ArrayList<>();
    List<Window> windows = new ArrayList<>();
    for (CandidateNode candidate : nodes.values()) {
      double speed = candidate.speed() > 0 ? candidate.speed() : usualSpeed;
      double shared = speed / (1 + Math.max(0, candidate.sessions()));
      problemNodes.add(
          filling
              ? new Node(candidate.node(), shared, held(candidate), Math.max(0, candidate.free()))
              : new Node(candidate.node(), shared, 0, Long.MAX_VALUE));
      for (LayerRange range : view.apply(candidate)) {
        windows.add(new Window(problemNodes.size() - 1, range.from(), range.to()));
      }
    }
    return new CoverProblem(sums, next(wanted), need.cacheBytes(), pipes, problemNodes, windows);
  }

  private double held(CandidateNode candidate) {
    BitSet held = set(candidate.loaded());
    held.or(set(candidate.coming()));
    return held.stream().mapToLong(layer -> need.layerBytes().get(layer)).sum();
  }

  private int[] next(BitSet wanted) {
    int[] next = new int[need.layers() + 1];
    for (int layer = 0; layer < next.length; layer++) {
      int at = wanted.nextSetBit(layer);
      next[layer] = at < 0 ? need.layers() : at;
    }
    return next;
  }

  /** The name of a step's node. */
  String name(Step step) {
    return List.copyOf(nodes.keySet()).get(step.window().node());
  }

  /** The runs of a bit set. */
  static List<LayerRange> ranges(BitSet set) {
    List<LayerRange> ranges = new ArrayList<>();
    for (int from = set.nextSetBit(0); from >= 0; ) {
      int to = set.nextClearBit(from);
      ranges.add(new LayerRange(from, to));
      from = set.nextSetBit(to);
    }
    return ranges;
  }

  /** Adds layers to what a node is loading. */
  void addLayers(String node, LayerRange range) {
    nodes.computeIfPresent(
        node,
        (name, candidate) -> {
          List<LayerRange> coming = new ArrayList<>(candidate.coming());
          coming.add(range);
          return new CandidateNode(
              name,
              candidate.loaded(),
              coming,
              candidate.free(),
              candidate.speed(),
              candidate.sessions());
        });
  }

  /** The layers that a node has, or has and is loading. */
  static List<LayerRange> held(CandidateNode candidate, boolean comingToo) {
    if (!comingToo) {
      return candidate.loaded();
    }
    List<LayerRange> held = new ArrayList<>(candidate.loaded());
    held.addAll(candidate.coming());
    return held;
  }
}
