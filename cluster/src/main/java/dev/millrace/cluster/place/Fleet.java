package dev.millrace.cluster.place;

import dev.millrace.cluster.member.ModelNeed;
import dev.millrace.cluster.place.Course.Step;
import dev.millrace.cluster.place.Course.Window;
import dev.millrace.cluster.place.Course.Worker;
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
final class Fleet {
  private final ModelNeed need;
  private final long[] sums;
  private final Map<String, Candidate> nodes = new TreeMap<>();
  private final double usualSpeed;

  Fleet(ModelNeed need, String origin, List<Candidate> candidates) {
    this.need = need;
    this.sums = Course.sums(need.layerBytes());
    this.usualSpeed = median(candidates);
    for (Candidate candidate : candidates) {
      if (!candidate.node().equals(origin)) {
        nodes.putIfAbsent(candidate.node(), clipped(candidate));
      }
    }
  }

  private static double median(List<Candidate> candidates) {
    double[] known =
        candidates.stream()
            .mapToDouble(Candidate::speed)
            .filter(speed -> speed > 0)
            .sorted()
            .toArray();
    return known.length == 0 ? 1 : known[known.length / 2];
  }

  private Candidate clipped(Candidate candidate) {
    return new Candidate(
        candidate.node(),
        clipped(candidate.loaded()),
        clipped(candidate.coming()),
        candidate.free(),
        candidate.speed(),
        candidate.sessions());
  }

  /** What of these ranges a pipe needs from nodes: none of the origin's layers. */
  private List<Range> clipped(List<Range> ranges) {
    List<Range> inside = new ArrayList<>();
    for (Range range : ranges) {
      int from = Math.max(range.from(), need.local());
      int to = Math.min(range.to(), need.layers());
      if (from < to) {
        inside.add(new Range(from, to));
      }
    }
    inside.sort(Comparator.comparingInt(Range::from).thenComparingInt(Range::to));
    return inside;
  }

  void remove(Collection<String> names) {
    nodes.keySet().removeAll(names);
  }

  /** Whether the node is here and has all layers of the stretch. */
  boolean has(String node, int from, int to) {
    Candidate candidate = nodes.get(node);
    return candidate != null && set(candidate.loaded()).nextClearBit(from) >= to;
  }

  /** The layers that some node has by this view. */
  BitSet covered(Function<Candidate, List<Range>> view) {
    BitSet covered = new BitSet();
    nodes.values().forEach(candidate -> covered.or(set(view.apply(candidate))));
    return covered;
  }

  private static BitSet set(List<Range> ranges) {
    BitSet set = new BitSet();
    ranges.forEach(range -> set.set(range.from(), range.to()));
    return set;
  }

  /** In how many nodes the layer that the fewest have is. */
  int depth(Function<Candidate, List<Range>> view) {
    int[] depth = new int[need.layers()];
    for (Candidate candidate : nodes.values()) {
      set(view.apply(candidate)).stream().forEach(layer -> depth[layer]++);
    }
    return Arrays.stream(depth, need.local(), depth.length).min().orElse(0);
  }

  /** As many pipes out of what nodes have by this view; null where so many cannot be made. */
  @Nullable List<Step> cover(int pipes, Function<Candidate, List<Range>> view) {
    BitSet wanted = new BitSet();
    wanted.set(need.local(), need.layers());
    return Cover.of(course(wanted, pipes, view, false));
  }

  /** Who should take the layers of a gap; null where there is not enough memory for all of it. */
  @Nullable List<Step> fill(BitSet gap) {
    List<Range> ranges = ranges(gap);
    return Cover.of(course(gap, 1, candidate -> candidate.free() > 0 ? ranges : List.of(), true));
  }

  /** As {@link #fill}, as far as the memory goes: the nodes with the most first. */
  List<Step> fillPartly(BitSet gap) {
    Course course = course(gap, 1, candidate -> ranges(gap), true);
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < course.workers().size(); i++) {
      order.add(i);
    }
    order.sort(Comparator.comparingLong(i -> -course.workers().get(i).memory()));
    List<Step> steps = new ArrayList<>();
    BitSet open = (BitSet) gap.clone();
    for (int worker : order) {
      long memory = course.workers().get(worker).memory();
      for (Range range : ranges(open)) {
        for (int from = range.from(); from < range.to(); from++) {
          int to = course.reach(from, range.to(), Double.MAX_VALUE, memory);
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

  private Course course(
      BitSet wanted, int pipes, Function<Candidate, List<Range>> view, boolean filling) {
    List<Worker> workers = new ArrayList<>();
    List<Window> windows = new ArrayList<>();
    for (Candidate candidate : nodes.values()) {
      double speed = candidate.speed() > 0 ? candidate.speed() : usualSpeed;
      double shared = speed / (1 + Math.max(0, candidate.sessions()));
      workers.add(
          filling
              ? new Worker(candidate.node(), shared, held(candidate), Math.max(0, candidate.free()))
              : new Worker(candidate.node(), shared, 0, Long.MAX_VALUE));
      for (Range range : view.apply(candidate)) {
        windows.add(new Window(workers.size() - 1, range.from(), range.to()));
      }
    }
    return new Course(sums, next(wanted), need.cacheBytes(), pipes, workers, windows);
  }

  private double held(Candidate candidate) {
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
  static List<Range> ranges(BitSet set) {
    List<Range> ranges = new ArrayList<>();
    for (int from = set.nextSetBit(0); from >= 0; ) {
      int to = set.nextClearBit(from);
      ranges.add(new Range(from, to));
      from = set.nextSetBit(to);
    }
    return ranges;
  }

  /** What a node has or is getting, with some layers more. */
  void promise(String node, Range range) {
    nodes.computeIfPresent(
        node,
        (name, candidate) -> {
          List<Range> coming = new ArrayList<>(candidate.coming());
          coming.add(range);
          return new Candidate(
              name,
              candidate.loaded(),
              coming,
              candidate.free(),
              candidate.speed(),
              candidate.sessions());
        });
  }

  /** The view of what nodes have, or will. */
  static List<Range> held(Candidate candidate, boolean comingToo) {
    if (!comingToo) {
      return candidate.loaded();
    }
    List<Range> held = new ArrayList<>(candidate.loaded());
    held.addAll(candidate.coming());
    return held;
  }
}
