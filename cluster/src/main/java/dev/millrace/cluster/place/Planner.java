package dev.millrace.cluster.place;

import dev.millrace.cluster.member.ModelNeed;
import dev.millrace.cluster.place.Course.Step;
import dev.millrace.cluster.place.Placement.Wish;
import dev.millrace.engine.pipe.Pipe.Stretch;
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
public final class Planner {
  private final ModelNeed need;
  private final String origin;
  private final int maxPipes;
  private final Fleet fleet;
  private final List<PlannedPipe> pipes = new ArrayList<>();
  private final List<Wish> wishes = new ArrayList<>();
  private List<Range> missing = List.of();
  private List<Range> coming = List.of();

  private Planner(ModelNeed need, String origin, List<Candidate> candidates, int maxPipes) {
    this.need = need;
    this.origin = origin;
    this.maxPipes = maxPipes;
    this.fleet = new Fleet(need, origin, candidates);
  }

  /**
   * A pure function: the same arguments, and candidates in any order, give the same placement.
   *
   * @param keep pipes that run; each stays as it is while its nodes still have their layers, and
   *     stands before those that are new
   */
  public static Placement plan(
      ModelNeed need,
      String origin,
      List<Candidate> candidates,
      int maxPipes,
      List<PlannedPipe> keep) {
    Planner planner = new Planner(need, origin, candidates, maxPipes);
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
    for (Stretch stretch : pipe.stretches()) {
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
        pipes.add(new PlannedPipe(need.layers(), List.of(new Stretch(origin, 0, need.layers()))));
      }
      return;
    }
    int most = Math.min(maxPipes - pipes.size(), fleet.depth(Candidate::loaded));
    for (int count = most; count > 0; count--) {
      List<Step> steps = fleet.cover(count, Candidate::loaded);
      if (steps != null) {
        addPipes(count, steps);
        return;
      }
    }
  }

  private void addPipes(int count, List<Step> steps) {
    for (int number = 0; number < count; number++) {
      List<Stretch> stretches = new ArrayList<>();
      if (need.local() > 0) {
        stretches.add(new Stretch(origin, 0, need.local()));
      }
      for (Step step : steps) {
        if (step.pipe() == number) {
          stretches.add(new Stretch(fleet.name(step), step.from(), step.to()));
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
      List<Step> filling = gap.isEmpty() ? List.of() : fleet.fill(gap);
      if (filling == null && first) {
        filling = fleet.fillPartly(gap);
      }
      if (filling == null) {
        return;
      }
      wish(filling);
      if (first) {
        report();
      }
      List<Step> promised = fleet.cover(1, candidate -> Fleet.held(candidate, true));
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
    gap.andNot(fleet.covered(candidate -> Fleet.held(candidate, true)));
    return gap;
  }

  private void wish(List<Step> filling) {
    TreeMap<String, BitSet> byNode = new TreeMap<>();
    for (Step step : filling) {
      byNode.computeIfAbsent(fleet.name(step), name -> new BitSet()).set(step.from(), step.to());
    }
    byNode.forEach(
        (node, layers) -> {
          for (Range range : Fleet.ranges(layers)) {
            wishes.add(new Wish(node, range));
            fleet.promise(node, range);
          }
        });
  }

  private void report() {
    BitSet lacking = gap();
    missing = Fleet.ranges(lacking);
    BitSet onTheirWay = new BitSet();
    onTheirWay.set(need.local(), need.layers());
    onTheirWay.andNot(fleet.covered(Candidate::loaded));
    onTheirWay.andNot(lacking);
    coming = Fleet.ranges(onTheirWay);
  }
}
