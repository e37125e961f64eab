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

/** The nodes that are not in a pipe yet, by name, and what they can do for the model together. */
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

  /** What of these ranges a pipe needs from nodes: none of the origin's layers. */
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

  /** Whether the node is here and has all layers of the stretch. */
  boolean has(String node, int from, int to) {
    CandidateNode candidate = nodes.get(node);
    return candidate != null && set(candidate.loaded()).nextClearBit(from) >= to;
  }

  /** The layers that some node has by this view. */
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

  /** In how many nodes the layer that the fewest have is. */
  int minCopies(Function<CandidateNode, List<LayerRange>> view) {
    int[] depth = new int[need.layers()];
    for (CandidateNode candidate : nodes.values()) {
      set(view.apply(candidate)).stream().forEach(layer -> depth[layer]++);
    }
    return Arrays.stream(depth, need.local(), depth.length).min().orElse(0);
  }

  /** As many pipes out of what nodes have by this view; null where so many cannot be made. */
  @Nullable List<Step> cover(int pipes, Function<CandidateNode, List<LayerRange>> view) {
    BitSet wanted = new BitSet();
    wanted.set(need.local(), need.layers());
    return CoverOptimizer.of(course(wanted, pipes, view, false));
  }

  /** Who should take the layers of a gap; null where there is not enough memory for all of it. */
  @Nullable List<Step> assignGap(BitSet gap) {
    List<LayerRange> ranges = ranges(gap);
    return CoverOptimizer.of(
        course(gap, 1, candidate -> candidate.free() > 0 ? ranges : List.of(), true));
  }

  /** As {@link #assignGap}, as far as the memory goes: the nodes with the most first. */
  List<Step> assignGapPartly(BitSet gap) {
    CoverProblem course = course(gap, 1, candidate -> ranges(gap), true);
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < course.workers().size(); i++) {
      order.add(i);
    }
    order.sort(Comparator.comparingLong(i -> -course.workers().get(i).memory()));
    List<Step> steps = new ArrayList<>();
    BitSet open = (BitSet) gap.clone();
    for (int worker : order) {
      long memory = course.workers().get(worker).memory();
      for (LayerRange range : ranges(open)) {
        for (int from = range.from(); from < range.to(); from++) {
          int to = course.maxEnd(from, range.to(), Double.MAX_VALUE, memory);
          memory -= course.memory(from, to);
          open.clear(from, to);
          if (to > from) {
            steps.add(new Step(0, new Window(worker, from, to), from, to));
            from = to - 1;
          }
        }
      }
    }
    return steps;
  }

  private CoverProblem course(
      BitSet wanted, int pipes, Function<CandidateNode, List<LayerRange>> view, boolean filling) {
    List<Node> workers = new ArrayList<>();
    List<Window> windows = new ArrayList<>();
    for (CandidateNode candidate : nodes.values()) {
      double speed = candidate.speed() > 0 ? candidate.speed() : usualSpeed;
      double shared = speed / (1 + Math.max(0, candidate.sessions()));
      workers.add(
          filling
              ? new Node(candidate.node(), shared, held(candidate), Math.max(0, candidate.free()))
              : new Node(candidate.node(), shared, 0, Long.MAX_VALUE));
      for (LayerRange range : view.apply(candidate)) {
        windows.add(new Window(workers.size() - 1, range.from(), range.to()));
      }
    }
    return new CoverProblem(sums, next(wanted), need.cacheBytes(), pipes, workers, windows);
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
    return List.copyOf(nodes.keySet()).get(step.window().worker());
  }

  /** The runs of a set. */
  static List<LayerRange> ranges(BitSet set) {
    List<LayerRange> ranges = new ArrayList<>();
    for (int from = set.nextSetBit(0); from >= 0; ) {
      int to = set.nextClearBit(from);
      ranges.add(new LayerRange(from, to));
      from = set.nextSetBit(to);
    }
    return ranges;
  }

  /** What a node has or is getting, with some layers more. */
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

  /** The view of what nodes have, or will. */
  static List<LayerRange> held(CandidateNode candidate, boolean comingToo) {
    if (!comingToo) {
      return candidate.loaded();
    }
    List<LayerRange> held = new ArrayList<>(candidate.loaded());
    held.addAll(candidate.coming());
    return held;
  }
}
