package dev.millrace.cluster.internal.place;

import dev.millrace.cluster.internal.place.CoverProblem.Node;
import dev.millrace.cluster.internal.place.CoverProblem.Step;
import dev.millrace.cluster.internal.place.CoverSearch.Preference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the best cover of a {@link CoverProblem}: few stretches, and a slowest node that is as fast
 * as possible. Each stretch is one more hop for every step, so a further stretch must make the
 * slowest node faster by a fifth.
 */
final class CoverOptimizer {
  /** The search ends when the slowest node is this near to the bound. */
  private static final double NEAR = 1e-4;

  private static final int MAX_ROUNDS = 40;

  /** What another stretch costs, as a factor of time. */
  static final double HOP = 1.25;

  private final CoverProblem problem;

  private CoverOptimizer(CoverProblem problem) {
    this.problem = problem;
  }

  /** The stretches by pipe and layer; null if there is no cover. */
  static @Nullable List<Step> of(CoverProblem problem) {
    List<Step> any = CoverSearch.find(problem, Double.MAX_VALUE, Preference.MOST_COVERED);
    if (any == null) {
      return null;
    }
    CoverOptimizer cover = new CoverOptimizer(problem);
    return cover.shorten(cover.improve(any), any);
  }

  private List<Step> improve(List<Step> any) {
    List<Step> best = any;
    double high = problem.slowest(best);
    double low = least();
    for (int round = 0; round < MAX_ROUNDS && high - low > NEAR * high; round++) {
      double middle = (low + high) / 2;
      List<Step> found = CoverSearch.find(problem, middle, Preference.LEAST_WASTE);
      if (found == null) {
        low = middle;
      } else {
        best = found;
        high = problem.slowest(found);
      }
    }
    List<Step> shorter = CoverSearch.find(problem, Math.nextUp(high), Preference.MOST_COVERED);
    return balance(shorter == null || shorter.size() > best.size() ? best : shorter);
  }

  /** The best of the fastest cover, the shortest, and those between. */
  private List<Step> shorten(List<Step> fastest, List<Step> any) {
    List<Step> best = fastest;
    double least = problem.slowest(fastest);
    double limit = least;
    int size = fastest.size();
    for (int fewer = 1; fewer <= fastest.size() - any.size(); fewer++) {
      limit *= HOP;
      List<Step> found = CoverSearch.find(problem, limit, Preference.MOST_COVERED);
      if (found != null && found.size() < size) {
        size = found.size();
        List<Step> balanced = speedUp(balance(found), least);
        best = cost(balanced) < cost(best) ? balanced : best;
      }
    }
    return best;
  }

  /** Makes the slowest node faster without adding stretches. */
  private List<Step> speedUp(List<Step> steps, double least) {
    List<Step> best = steps;
    double low = least;
    double high = problem.slowest(best);
    for (int round = 0; round < MAX_ROUNDS && high - low > NEAR * high; round++) {
      double middle = (low + high) / 2;
      List<Step> found = CoverSearch.find(problem, middle, Preference.MOST_COVERED);
      if (found == null || found.size() > best.size()) {
        low = middle;
      } else {
        best = balance(found);
        high = problem.slowest(best);
      }
    }
    return best;
  }

  private double cost(List<Step> steps) {
    return problem.slowest(steps) * Math.pow(HOP, steps.size());
  }

  /** Lower bound: all nodes are as busy as the slowest. */
  private double least() {
    double bytes = (double) problem.bytesToCover() * problem.pipes();
    double speed = 0;
    for (Node node : problem.nodes()) {
      speed += node.speed();
    }
    return bytes / speed;
  }

  /** Moves the cuts between neighbours to where the slower of the two is fastest. */
  private List<Step> balance(List<Step> steps) {
    List<Step> cut = new ArrayList<>(steps);
    cut.sort(Comparator.comparingInt(Step::pipe).thenComparingInt(Step::from));
    boolean moved = true;
    for (int round = 0; moved && round < MAX_ROUNDS; round++) {
      moved = false;
      for (int i = 0; i + 1 < cut.size(); i++) {
        moved |= move(cut, i);
      }
    }
    return List.copyOf(cut);
  }

  private boolean move(List<Step> steps, int at) {
    Step a = steps.get(at);
    Step b = steps.get(at + 1);
    if (a.pipe() != b.pipe() || a.to() != b.from() || a.window().node() == b.window().node()) {
      return false;
    }
    double[] load = problem.loads(steps);
    int best = a.to();
    double fastest = slower(a, b, load, best);
    int from = Math.max(a.from() + 1, b.window().from());
    int to = Math.min(b.to() - 1, a.window().to());
    for (int middle = from; middle <= to; middle++) {
      double time = slower(a, b, load, middle);
      if (time < fastest && fits(steps, a, a.from(), middle) && fits(steps, b, middle, b.to())) {
        best = middle;
        fastest = time;
      }
    }
    steps.set(at, a.cut(a.from(), best));
    steps.set(at + 1, b.cut(best, b.to()));
    return best != a.to();
  }

  /** How long the slower of two neighbours takes if the cut is at {@code middle}. */
  private double slower(Step a, Step b, double[] load, int middle) {
    double shifted = (double) problem.sums()[middle] - problem.sums()[a.to()];
    int first = a.window().node();
    int second = b.window().node();
    return Math.max(
        (load[first] + shifted) / problem.nodes().get(first).speed(),
        (load[second] - shifted) / problem.nodes().get(second).speed());
  }

  /** Whether a step's node has memory for the layers [from, to) instead. */
  private boolean fits(List<Step> steps, Step step, int from, int to) {
    int node = step.window().node();
    long memory = problem.nodes().get(node).memory();
    if (memory == Long.MAX_VALUE) {
      return true;
    }
    for (Step other : steps) {
      if (other.window().node() == node && other != step) {
        memory -= problem.memory(other.from(), other.to());
      }
    }
    return problem.memory(from, to) <= memory;
  }
}
