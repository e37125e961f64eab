package dev.millrace.cluster.internal.place;

import dev.millrace.cluster.internal.place.CoverProblem.Node;
import dev.millrace.cluster.internal.place.CoverProblem.Step;
import dev.millrace.cluster.internal.place.CoverSearch.Preference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The best cover of a course: its slowest worker is fast and its stretches are few. Each stretch is
 * one more hop for every step, so one more is worth it where the slowest gets faster by a fifth.
 */
final class CoverOptimizer {
  /** Where the slowest worker is so near to the best that can be, the search ends. */
  private static final double NEAR = 1e-4;

  private static final int MOST_ROUNDS = 40;

  /** What another stretch costs, as a factor of time. */
  static final double HOP = 1.25;

  private final CoverProblem course;

  private CoverOptimizer(CoverProblem course) {
    this.course = course;
  }

  /** Steps by pipe and layer; null where the course cannot be covered. */
  static @Nullable List<Step> of(CoverProblem course) {
    List<Step> any = CoverSearch.find(course, Double.MAX_VALUE, Preference.REACH);
    if (any == null) {
      return null;
    }
    CoverOptimizer cover = new CoverOptimizer(course);
    return cover.shorten(cover.improve(any), any);
  }

  private List<Step> improve(List<Step> any) {
    List<Step> best = any;
    double high = course.slowest(best);
    double low = least();
    for (int round = 0; round < MOST_ROUNDS && high - low > NEAR * high; round++) {
      double middle = (low + high) / 2;
      List<Step> found = CoverSearch.find(course, middle, Preference.THRIFT);
      if (found == null) {
        low = middle;
      } else {
        best = found;
        high = course.slowest(found);
      }
    }
    List<Step> shorter = CoverSearch.find(course, Math.nextUp(high), Preference.REACH);
    return balance(shorter == null || shorter.size() > best.size() ? best : shorter);
  }

  /** The best of the fastest cover, the shortest, and those between that have ever more time. */
  private List<Step> shorten(List<Step> fastest, List<Step> any) {
    List<Step> best = fastest;
    double least = course.slowest(fastest);
    double limit = least;
    int size = fastest.size();
    for (int fewer = 1; fewer <= fastest.size() - any.size(); fewer++) {
      limit *= HOP;
      List<Step> found = CoverSearch.find(course, limit, Preference.REACH);
      if (found != null && found.size() < size) {
        size = found.size();
        List<Step> balanced = hasten(balance(found), least);
        best = cost(balanced) < cost(best) ? balanced : best;
      }
    }
    return best;
  }

  /** Makes the slowest faster, as far as it goes with no more stretches. */
  private List<Step> hasten(List<Step> steps, double least) {
    List<Step> best = steps;
    double low = least;
    double high = course.slowest(best);
    for (int round = 0; round < MOST_ROUNDS && high - low > NEAR * high; round++) {
      double middle = (low + high) / 2;
      List<Step> found = CoverSearch.find(course, middle, Preference.REACH);
      if (found == null || found.size() > best.size()) {
        low = middle;
      } else {
        best = balance(found);
        high = course.slowest(best);
      }
    }
    return best;
  }

  private double cost(List<Step> steps) {
    return course.slowest(steps) * Math.pow(HOP, steps.size());
  }

  /** No cover can be faster: all workers as busy as the slowest. */
  private double least() {
    double bytes = (double) course.bytesToCover() * course.pipes();
    double speed = 0;
    for (Node worker : course.workers()) {
      speed += worker.speed();
    }
    return bytes / speed;
  }

  /** Moves the cuts between neighbours to where the slower of the two is fastest. */
  private List<Step> balance(List<Step> steps) {
    List<Step> cut = new ArrayList<>(steps);
    cut.sort(Comparator.comparingInt(Step::pipe).thenComparingInt(Step::from));
    boolean moved = true;
    for (int round = 0; moved && round < MOST_ROUNDS; round++) {
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
    if (a.pipe() != b.pipe() || a.to() != b.from() || a.window().worker() == b.window().worker()) {
      return false;
    }
    double[] load = course.loads(steps);
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

  /** How long the slower of two neighbours takes where the cut is at {@code middle}. */
  private double slower(Step a, Step b, double[] load, int middle) {
    double shifted = (double) course.sums()[middle] - course.sums()[a.to()];
    int first = a.window().worker();
    int second = b.window().worker();
    return Math.max(
        (load[first] + shifted) / course.workers().get(first).speed(),
        (load[second] - shifted) / course.workers().get(second).speed());
  }

  /** Whether a step's worker has the memory for the layers [from, to) in its place. */
  private boolean fits(List<Step> steps, Step step, int from, int to) {
    int worker = step.window().worker();
    long memory = course.workers().get(worker).memory();
    if (memory == Long.MAX_VALUE) {
      return true;
    }
    for (Step other : steps) {
      if (other.window().worker() == worker && other != step) {
        memory -= course.memory(other.from(), other.to());
      }
    }
    return course.memory(from, to) <= memory;
  }
}
